import type { ListedUser } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { reportList } from '../report.js';
import { allUsers } from '../users.js';

const NAME = 'user list';

export const userListCommand: CliCommand = {
  name: NAME,
  usage: '',
  summary: 'Lists the users, with their roles and their last login.',
  options: { json: JSON_OPTION },
  async run(context) {
    const users = (await context.app()).get(ActiveUserStore);
    users.require(`kit-auth ${NAME}`, 'listUsers');
    const found: ListedUser[] = [];
    for await (const page of allUsers(users)) {
      found.push(...page.map(shown));
    }
    reportList(context, found, {
      ID: ({ id }) => String(id),
      USERNAME: ({ username }) => username,
      NAME: ({ nickname }) => nickname,
      STATUS: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
      ROLES: ({ roles }) => roles.join(', ') || '-',
      'LAST LOGIN': ({ lastLoginAt }) => lastLoginAt?.toISOString() ?? '-',
    });
  },
};

/** Leaves out other properties that a store may return, for example the password hash. */
function shown({ id, username, nickname, enabled, roles, lastLoginAt = null }: ListedUser): ListedUser {
  return { id, username, nickname, enabled, roles, lastLoginAt };
}
