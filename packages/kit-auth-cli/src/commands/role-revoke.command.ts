import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { report } from '../report.js';
import { changeRoles, rolesText } from '../roles.js';

const NAME = 'role revoke';

export const roleRevokeCommand: CliCommand = {
  name: NAME,
  usage: '<username> <role...>',
  summary: 'Takes roles away from a user.',
  details:
    'The last enabled super administrator keeps SUPER_ADMIN. Publishes the event user-roles-changed, as\n' +
    'PUT users/{id}/roles of kit-auth-admin does.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { id, username, codes, before, after } = await changeRoles(context, {
      command: NAME,
      next: (current, removed) => current.filter((code) => !removed.includes(code)),
    });
    const revoked = codes.filter((code) => before.includes(code));
    const sentence =
      revoked.length === 0
        ? `${username} does not have ${rolesText(codes)}.`
        : `Revoked ${rolesText(revoked)} from ${username}, who has now: ${after.join(', ') || 'no roles'}.`;
    report(context, sentence, { id, username, roles: after, revoked });
    return undefined;
  },
};
