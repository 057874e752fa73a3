import type { INestApplication } from '@nestjs/common';
import { AuthErrorCode, AuthEvents, AuthException, type AuthSessions, type SessionInfo } from 'kit-auth';
import { ActiveLogins, ActiveProvider, SessionEnds } from 'kit-auth/login';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { report, reportList } from '../report.js';
import { usernameOf } from '../users.js';

const LIST = 'sessions list';
const END = 'sessions end';

export const sessionsListCommand: CliCommand = {
  name: LIST,
  usage: '<username>',
  summary: 'Lists the live sessions of a user, oldest first.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { args, options, output, app, user } = context;
    const username = usernameOf(args, LIST);
    const loaded = await app();
    const { id } = await user(username);
    const sessions = requireReachable(loaded);
    const live = await unlessUnknown(loaded, sessions.listOf(id));
    if (live.length === 0 && options['json'] !== true) {
      output.note(`${username} has no live sessions.`);
      return;
    }
    reportList(context, live.map(shown), {
      ID: (session) => session.id,
      CREATED: ({ createdAt }) => createdAt.toISOString(),
      'LAST SEEN': ({ lastSeenAt }) => lastSeenAt.toISOString(),
      EXPIRES: ({ expiresAt }) => expiresAt.toISOString(),
      ADDRESS: ({ address }) => address ?? '-',
      CLIENT: ({ userAgent }) => userAgent ?? '-',
    });
  },
};

/** Leaves out `current`: a command has no current session. */
function shown({ id, createdAt, lastSeenAt, expiresAt, address, userAgent }: SessionInfo) {
  return { id, createdAt, lastSeenAt, expiresAt, address: address ?? null, userAgent: userAgent ?? null };
}

export const sessionsEndCommand: CliCommand = {
  name: END,
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
    const username = usernameOf(args, END);
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

/** The sessions of an application. @throws CliError if it has none, or commands cannot reach them */
function requireReachable(app: INestApplication): AuthSessions {
  const logins = app.get(ActiveLogins);
  if (!logins.areKnown()) {
    throw new CliError(
      `The implementation ${app.get(ActiveProvider).get().extensionName} has no sessions: its tokens are valid until they ` +
        "expire. For tokens that can be ended, use KitAuthSessionModule of 'kit-auth-session', or import " +
        "KitAuthRefreshModule of 'kit-auth-refresh' besides KitAuthJwtModule.",
      1,
    );
  }
  if (logins.areInProcess()) {
    throw new CliError(
      'The sessions are in the memory of the running application, which commands cannot reach. Keep them in the ' +
        'database or in Redis, or use GET and DELETE users/{id}/sessions of kit-auth-admin.',
      1,
    );
  }
  return logins.sessions();
}

/** @throws CliError instead of 50100 if an implementation can end sessions but not list them */
async function unlessUnknown<T>(app: INestApplication, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED) {
      throw new CliError(
        `The implementation ${app.get(ActiveProvider).get().extensionName} does not know its sessions here. ` +
          '`kit-auth sessions end <username> --all` ends all sessions of a user.',
        1,
        { cause: error },
      );
    }
    throw error;
  }
}
