import type { ListedUser } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { allUsers } from '../users.js';

const NAME = 'user list';

export const userListCommand: CliCommand = {
  name: NAME,
  usage: '',
  summary: 'Lists the users, with their roles and their last login.',
  options: { json: JSON_OPTION },
  async run({ options, output, app }) {
    const users = (await app()).get(ActiveUserStore);
    users.require(`kit-auth ${NAME}`, 'listUsers');
    const found: ListedUser[] = [];
    for await (const page of allUsers(users)) {
      found.push(...page);
    }
    if (options['json'] === true) {
      output.json(found.map(jsonOf));
    } else {
      output.table(['ID', 'USERNAME', 'NAME', 'STATUS', 'ROLES', 'LAST LOGIN'], found.map(rowOf));
    }
    return undefined;
  },
};

/** Without other properties that a store may return, such as the password hash. */
function jsonOf({ id, username, nickname, enabled, roles, lastLoginAt = null }: ListedUser): ListedUser {
  return { id, username, nickname, enabled, roles, lastLoginAt };
}

function rowOf({ id, username, nickname, enabled, roles, lastLoginAt }: ListedUser): string[] {
  const status = enabled ? 'enabled' : 'disabled';
  return [String(id), username, nickname, status, roles.join(', ') || '-', lastLoginAt?.toISOString() ?? '-'];
}
