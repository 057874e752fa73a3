import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { report } from '../report.js';
import { changeRoles, rolesText } from '../roles.js';

const NAME = 'role grant';

export const roleGrantCommand: CliCommand = {
  name: NAME,
  usage: '<username> <role...>',
  summary: 'Gives roles to a user, who keeps the others.',
  details: 'Publishes the event user-roles-changed, as PUT users/{id}/roles of kit-auth-admin does.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { id, username, codes, before, after } = await changeRoles(context, {
      command: NAME,
      next: (current, added) => [...new Set([...current, ...added])],
    });
    const granted = codes.filter((code) => !before.includes(code));
    const sentence =
      granted.length === 0
        ? `${username} has ${rolesText(codes)} already.`
        : `Granted ${rolesText(granted)} to ${username}, who has now: ${after.join(', ')}.`;
    report(context, sentence, { id, username, roles: after, granted });
    return undefined;
  },
};
