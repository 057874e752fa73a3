import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { report } from '../report.js';
import { rolesOf } from '../roles.js';
import { usernameOf } from '../users.js';

const NAME = 'user roles';

export const userRolesCommand: CliCommand = {
  name: NAME,
  usage: '<username>',
  summary: 'Lists the roles of a user.',
  details: 'Without the roles that these include. `kit-auth role list` shows them.',
  options: { json: JSON_OPTION },
  async run(context) {
    const username = usernameOf(context.args, NAME);
    const store = await rolesOf(context, NAME);
    const { id } = await context.user(username);
    const roles = await store.ofUser(id);
    const sentence =
      roles.length === 0 ? `${username} has no roles.` : `${username} has the roles: ${roles.join(', ')}.`;
    report(context, sentence, { id, username, roles });
    return undefined;
  },
};
