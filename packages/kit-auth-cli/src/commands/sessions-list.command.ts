import type { SessionInfo } from 'kit-auth';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { requireReachable, unlessUnknown } from '../sessions.js';
import { usernameOf } from '../users.js';

const NAME = 'sessions list';

export const sessionsListCommand: CliCommand = {
  name: NAME,
  usage: '<username>',
  summary: 'Lists the live sessions of a user, oldest first.',
  options: { json: JSON_OPTION },
  async run({ args, options, output, app, user }) {
    const username = usernameOf(args, NAME);
    const loaded = await app();
    const { id } = await user(username);
    const sessions = requireReachable(loaded);
    const live = await unlessUnknown(loaded, sessions.listOf(id));
    if (options['json'] === true) {
      output.json(live.map(jsonOf));
    } else if (live.length === 0) {
      output.note(`${username} has no live sessions.`);
    } else {
      output.table(['ID', 'CREATED', 'LAST SEEN', 'EXPIRES', 'ADDRESS', 'CLIENT'], live.map(rowOf));
    }
    return undefined;
  },
};

/** Without `current`: a command has no current session. */
function jsonOf({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }: SessionInfo): object {
  return { id, createdAt, lastSeenAt, expiresAt, address: address ?? null, userAgent: userAgent ?? null };
}

function rowOf({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }: SessionInfo): string[] {
  const times = [createdAt, lastSeenAt, expiresAt].map((time) => time.toISOString());
  return [id, ...times, address ?? '-', userAgent ?? '-'];
}
