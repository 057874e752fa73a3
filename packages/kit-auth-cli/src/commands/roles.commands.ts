import { AuthEvents, isPermission, type UserId } from 'kit-auth';
import { ActiveLogins, ActiveProvider } from 'kit-auth/login';
import { ActiveUserStore } from 'kit-auth/feature';
import { Installation } from '../application/installation.js';
import { type CliCommand, type CliContext, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import type { DefaultRoles } from '../database/default-roles.js';
import { didYouMean } from '../reason.js';
import { report, reportList } from '../report.js';
import { nameOf, ROLES_HINT, usernameOf } from '../users.js';

const CREATE = 'role create';
const LIST = 'role list';
const GRANT = 'role grant';
const REVOKE = 'role revoke';
const OF_USER = 'user roles';

export const roleCreateCommand: CliCommand = {
  name: CREATE,
  usage: '<code>',
  summary: 'Creates a role.',
  details: 'Publishes the event role-created, as POST roles of kit-auth-admin does.',
  options: {
    name: { type: 'string', value: 'name', description: 'the name that people see; by default the code' },
    permission: {
      type: 'string',
      multiple: true,
      value: 'permission',
      description: 'a permission of the role, such as note:read or note:*; may be repeated',
    },
    include: {
      type: 'string',
      multiple: true,
      value: 'code',
      description: 'a role that users of this one also have; may be repeated',
    },
    json: JSON_OPTION,
  },
  async run(context) {
    const { args, options, app } = context;
    const [code] = args;
    if (code === undefined) {
      throw new CliError(`Name a role: kit-auth ${CREATE} <code>`);
    }
    const name = nameOf((options['name'] as string | undefined) ?? code, 'name');
    const permissions = valuesOf(options['permission']);
    const includes = valuesOf(options['include']);
    const invalid = permissions.find((permission): boolean => !isPermission(permission));
    if (invalid !== undefined) {
      throw new CliError(`"${invalid}" is not a permission. Write it like note:read or note:*.`);
    }
    const roles = await rolesOf(context, CREATE);
    roles.requireCode(code);
    const action = (await app()).get(AuthEvents).begin();
    const role = await roles.create(action, { code, name, permissions, includes });
    const having =
      permissions.length === 0 ? 'without permissions' : `permissions: ${permissions.join(', ')}`;
    const including = includes.length === 0 ? '' : `; includes: ${includes.join(', ')}`;
    report(context, `Created the role ${code}, ${having}${including}.`, role);
  },
};

function valuesOf(option: unknown): string[] {
  return [...new Set((option as readonly string[] | undefined) ?? [])];
}

export const roleListCommand: CliCommand = {
  name: LIST,
  usage: '',
  summary: 'Lists the roles, with their permissions and the roles that they include.',
  options: { json: JSON_OPTION },
  async run(context) {
    const roles = await (await rolesOf(context, LIST)).list();
    reportList(context, roles, {
      CODE: ({ code }) => code,
      NAME: ({ name }) => name,
      PERMISSIONS: ({ permissions }) => permissions.join(', ') || '-',
      INCLUDES: ({ includes }) => includes.join(', ') || '-',
    });
  },
};

export const roleGrantCommand: CliCommand = {
  name: GRANT,
  usage: '<username> <role...>',
  summary: 'Gives roles to a user, who keeps the others.',
  details: 'Publishes the event user-roles-changed, as PUT users/{id}/roles of kit-auth-admin does.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { id, username, codes, before, after } = await changeRoles(context, {
      command: GRANT,
      next: (current, added) => [...new Set([...current, ...added])],
    });
    const granted = codes.filter((code) => !before.includes(code));
    const sentence =
      granted.length === 0
        ? `${username} has ${rolesText(codes)} already.`
        : `Granted ${rolesText(granted)} to ${username}, who has now: ${after.join(', ')}.`;
    report(context, sentence, { id, username, roles: after, granted });
  },
};

export const roleRevokeCommand: CliCommand = {
  name: REVOKE,
  usage: '<username> <role...>',
  summary: 'Takes roles away from a user.',
  details:
    'The last enabled super administrator keeps SUPER_ADMIN. Publishes the event user-roles-changed, as\n' +
    'PUT users/{id}/roles of kit-auth-admin does.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { id, username, codes, before, after } = await changeRoles(context, {
      command: REVOKE,
      next: (current, removed) => current.filter((code) => !removed.includes(code)),
    });
    const revoked = codes.filter((code) => before.includes(code));
    const sentence =
      revoked.length === 0
        ? `${username} does not have ${rolesText(codes)}.`
        : `Revoked ${rolesText(revoked)} from ${username}, who has now: ${after.join(', ') || 'no roles'}.`;
    report(context, sentence, { id, username, roles: after, revoked });
  },
};

export const userRolesCommand: CliCommand = {
  name: OF_USER,
  usage: '<username>',
  summary: 'Lists the roles of a user.',
  details: 'Without the roles that these include. `kit-auth role list` shows them.',
  options: { json: JSON_OPTION },
  async run(context) {
    const username = usernameOf(context.args, OF_USER);
    const store = await rolesOf(context, OF_USER);
    const { id } = await context.user(username);
    const roles = await store.ofUser(id);
    const sentence =
      roles.length === 0 ? `${username} has no roles.` : `${username} has the roles: ${roles.join(', ')}.`;
    report(context, sentence, { id, username, roles });
  },
};

/** The roles of the application. @throws CliError if it does not use the default user store */
async function rolesOf({ app, found }: CliContext, command: string): Promise<DefaultRoles> {
  const loaded = await app();
  const store = loaded.get(ActiveUserStore).get();
  const roles =
    new Installation(found().root).find('typeorm') === undefined
      ? undefined
      : (await import('../database/default-roles.js')).DefaultRoles.of(loaded, store);
  if (roles === undefined) {
    throw new CliError(
      `kit-auth ${command} manages the default user store, with the tables auth_user and auth_role. This application ` +
        `has its own, ${store.constructor.name}: change roles where it keeps them.`,
      1,
    );
  }
  return roles;
}

interface RolesChange {
  readonly command: string;
  /** Computes the roles of the user. `codes` are the arguments. */
  readonly next: (current: readonly string[], codes: readonly string[]) => readonly string[];
}

interface ChangedRoles {
  readonly id: UserId;
  readonly username: string;
  /** The arguments, each once. */
  readonly codes: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Changes the roles of the user whom the arguments name, and publishes the event. @throws CliError */
async function changeRoles(context: CliContext, { command, next }: RolesChange): Promise<ChangedRoles> {
  const [username, ...named] = context.args;
  if (username === undefined || named.length === 0) {
    throw new CliError(`Name a user and a role: kit-auth ${command} <username> <role...>`);
  }
  const codes = [...new Set(named)];
  const roles = await rolesOf(context, command);
  const { id } = await context.user(username);
  requireKnown(codes, await roles.list());
  const app = await context.app();
  const action = app.get(AuthEvents).begin();
  const { before, after } = await roles.changeUser(action, { id, username }, (current) =>
    next(current, codes),
  );
  app.get(ActiveProvider).userChanged(id);
  if (after.length !== before.length && !app.get(ActiveLogins).areKnown()) {
    context.output.note(
      'Note: tokens that were issued before contain the former roles until they expire, unless kit.auth.jwt.checkStamp ' +
        'is on.',
    );
  }
  return { id, username, codes, before, after };
}

/** For example `the role editor` or `the roles editor, reader`. */
function rolesText(codes: readonly string[]): string {
  return codes.length === 1 ? `the role ${codes[0]}` : `the roles ${codes.join(', ')}`;
}

/** @throws CliError that names the first role that does not exist */
function requireKnown(codes: readonly string[], roles: readonly { readonly code: string }[]): void {
  const known = roles.map(({ code }) => code);
  const unknown = codes.find((code) => !known.includes(code));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known, '"') || ` ${ROLES_HINT}`;
    throw new CliError(`There is no role "${unknown}".${hint}`, 1);
  }
}
