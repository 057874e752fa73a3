import { AuthErrorCode, AuthException } from 'kit-auth';

/**
 * Close codes: 4401 for a missing or invalid token and an ended login, 4403 for a user who may not connect, 4408 for a
 * client that sent no token in time, 4429 for too many sockets or refused messages, 1013 while tokens cannot be checked.
 */
export type SocketCloseCode = 4401 | 4403 | 4408 | 4429 | 1013;

/** Why a socket was refused or closed. */
export interface SocketEnd {
  readonly code: SocketCloseCode;
  /** One word that clients can react to, for example `expired`, `kicked` or `forbidden`. */
  readonly reason: string;
}

const UNAVAILABLE: SocketEnd = { code: 1013, reason: 'unavailable' };

/** The end of a socket for an error of its handshake, or of a later check. */
export function endOf(error: unknown): SocketEnd {
  if (!(error instanceof AuthException) || error.getStatus() >= 500) {
    return UNAVAILABLE;
  }
  const { code, reason } = error;
  if (code === AuthErrorCode.FRESH_LOGIN_REQUIRED) {
    return { code: 4403, reason: 'not-fresh' }; // the login stays live
  }
  switch (error.getStatus()) {
    case 401:
      return { code: 4401, reason: reason ?? (code === AuthErrorCode.TOKEN_MISSING ? 'missing' : 'unknown') };
    case 429:
      return { code: 4429, reason: reason ?? 'too-many' };
    default:
      return { code: 4403, reason: reason ?? 'forbidden' };
  }
}
