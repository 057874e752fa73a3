import type { INestApplication } from '@nestjs/common';
import { AuthErrorCode, AuthException, type AuthSessions } from 'kit-auth';
import { ActiveLogins, ActiveProvider } from 'kit-auth/extend';
import { CliError } from './cli.error.js';

/** The sessions of an application. @throws CliError if it has none, or commands cannot reach them */
export function requireReachable(app: INestApplication): AuthSessions {
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
export async function unlessUnknown<T>(app: INestApplication, work: Promise<T>): Promise<T> {
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
