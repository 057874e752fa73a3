import { AuthErrorCode, AuthEvents, AuthException } from 'kit-auth';
import { SessionEnds } from 'kit-auth/extend';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { report } from '../report.js';
import { requireReachable, unlessUnknown } from '../sessions.js';
import { usernameOf } from '../users.js';

const NAME = 'sessions end';

export const sessionsEndCommand: CliCommand = {
  name: NAME,
  usage: '<username> [<id>|--all]',
  summary: 'Ends one session of a user, or all of them.',
  details:
    'The next request with a token of the session gets 40101 with the reason "kicked". Publishes the event\n' +
    'sessions-ended, as DELETE users/{id}/sessions of kit-auth-admin does.',
  options: {
    all: { type: 'boolean', description: 'end all sessions of the user, and their API keys' },
    'keep-keys': { type: 'boolean', description: 'with --all: keep the API keys' },
    json: JSON_OPTION,
  },
  async run(context) {
    const { args, options, app, user } = context;
    const username = usernameOf(args, NAME);
    const sessionId = args[1];
    if ((sessionId === undefined) !== (options['all'] === true)) {
      throw new CliError(
        'Name a session, or pass --all to end all of them. `kit-auth sessions list` lists them.',
      );
    }
    const loaded = await app();
    const { id } = await user(username);
    const sessions = requireReachable(loaded);
    const ends = loaded.get(SessionEnds);
    const action = loaded.get(AuthEvents).begin();
    let ended = 1;
    const ending = ends.changeUser(action, id, async (change) => {
      const end =
        sessionId === undefined
          ? async () => (ended = await sessions.endAllOf(id, { reason: 'kicked' }))
          : await ends.one(id, sessionId, 'kicked');
      const about = { subjectId: id, subject: username };
      const detail = sessionId ?? 'all';
      const endsKeys = sessionId === undefined && options['keep-keys'] !== true;
      const effects = { endedSessions: detail, ...(endsKeys && { endsKeys }) };
      await change.note({ type: 'sessions-ended', ...about, detail, ...effects });
      return { ...about, end };
    });
    await unlessUnknown(loaded, ending.catch(notFound(username)));
    report(
      context,
      sessionId === undefined
        ? `Ended all sessions of ${username}${ended > 0 ? ` (${ended})` : ''}.`
        : `Ended one session of ${username}.`,
      { id, username, session: sessionId ?? 'all' },
    );
    return undefined;
  },
};

function notFound(username: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof AuthException && error.code === AuthErrorCode.NOT_FOUND
      ? new CliError(`${username} has no such live session. \`kit-auth sessions list\` lists them.`, 1, {
          cause: error,
        })
      : error;
  };
}
