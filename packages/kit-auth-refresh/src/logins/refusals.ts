import { AuthErrorCode, AuthException, type SessionEndReason } from 'kit-auth';

declare module 'kit-auth' {
  interface SessionEndReasons {
    /** A refresh token was used again by somebody else, too late, or too often. */
    reused: true;
    expired: true;
    /** The login was not refreshed for `kit.auth.refresh.idleDays`. */
    idle: true;
  }

  interface AuthEventTypes {
    /** A refresh token was replaced. Listeners hear of it, and no sink stores it. */
    'token-refreshed': true;
    /** A used refresh token returned its successor again. */
    'token-replayed': true;
    /** A refresh token was used again by somebody else, or too late. Its login was ended. */
    'token-reused': true;
    /** After replays in two refreshes in a row, a used token came again: two clients may be in step. The login was ended. */
    'token-shared': true;
  }
}

/** 40101, without a stack trace. */
export function refused(reason?: SessionEndReason | 'malformed' | 'revoked'): AuthException {
  return AuthException.refusal(AuthErrorCode.TOKEN_INVALID, reason === undefined ? {} : { reason });
}

/** 50300: other requests change the same login. Nothing was done. */
export function tooBusy(): AuthException {
  return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 1 });
}
