import { type AccountChange, AuthEvents } from 'kit-auth';
import { SUPER_ADMIN } from 'kit-auth/cli';
import { ActiveUserStore, rolesDetail } from 'kit-auth/feature';
import { NewPasswords } from 'kit-auth/login';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { newPassword, PASSWORD_STDIN } from '../prompt.js';
import { report } from '../report.js';
import { nameOf, ROLES_HINT, usernameOf } from '../users.js';

const NAME = 'user create';

export const userCreateCommand: CliCommand = {
  name: NAME,
  usage: '<username>',
  summary: 'Creates a user. Asks for the password.',
  details: 'Without --role, the user can do what every user can. Publishes the event user-created.',
  options: {
    role: {
      type: 'string',
      multiple: true,
      value: 'code',
      description: 'a role of the user; may be repeated',
    },
    'display-name': { type: 'string', value: 'name', description: 'the name that people see' },
    ...PASSWORD_STDIN,
    json: JSON_OPTION,
  },
  async run(context) {
    const { args, options, app } = context;
    const username = nameOf(usernameOf(args, NAME), 'username');
    const nickname = nameOf((options['display-name'] as string | undefined) ?? username, 'display name');
    const roles = [...new Set((options['role'] as readonly string[] | undefined) ?? [])];
    const loaded = await app();
    const users = loaded.get(ActiveUserStore);
    users.require(`kit-auth ${NAME}`, 'findByUsername', 'createUser');
    if (roles.length > 0) {
      users.require(`The option --role of kit-auth ${NAME}`, 'grantsOf');
    }
    await requireRoles(users, roles);
    if ((await users.findByUsername(username)) !== undefined) {
      throw new CliError(`There is a user "${username}" already.`, 1);
    }
    const passwordHash = await loaded.get(NewPasswords).hash(await newPassword(context), username);
    const action = loaded.get(AuthEvents).begin();
    const id = await users.transaction(action, async (change) => {
      await requireRoles(users, roles, change);
      const userId = await users.createUser({ username, nickname, passwordHash, roles }, change);
      const detail = rolesDetail(roles);
      await change.note({ type: 'user-created', subjectId: userId, subject: username, detail });
      return userId;
    });
    const having = roles.length === 0 ? 'without roles' : `roles: ${roles.join(', ')}`;
    report(context, `Created ${username} (id ${id}), ${having}.`, { id, username, nickname, roles });
  },
};

/** @throws CliError that names the first role that does not exist */
async function requireRoles(
  users: ActiveUserStore,
  roles: readonly string[],
  change?: AccountChange,
): Promise<void> {
  for (const role of roles) {
    if ((await users.grantsOf([role], change)) === undefined) {
      const hint = role === SUPER_ADMIN ? 'The first start of the application creates it.' : ROLES_HINT;
      throw new CliError(`There is no role "${role}". ${hint}`, 1);
    }
  }
}
