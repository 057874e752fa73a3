/**
 * Every error code of the module. A code is the HTTP status times 100 plus a number, its name is what the
 * answer carries as `error`.
 */
export enum AuthErrorCode {
  /** The body or the query is not what the endpoint takes; a password that may not be chosen, with its `reason`. */
  BAD_REQUEST = 40000,
  /** No token on a protected path: the header is absent or lacks the configured prefix. */
  TOKEN_MISSING = 40100,
  /** The token is expired, altered, revoked or not one of ours. */
  TOKEN_INVALID = 40101,
  /** Unknown user name or wrong password; one answer for both. */
  LOGIN_FAILED = 40110,
  /** The password was right, the account is not enabled. */
  USER_DISABLED = 40111,
  /** The user may not do this. */
  FORBIDDEN = 40300,
  /** The user has to choose a new password before anything else. */
  PASSWORD_CHANGE_REQUIRED = 40301,
  /** There is no such user, role or session. */
  NOT_FOUND = 40400,
  /** It exists already, is in use, was changed meanwhile, or is the last of its kind. */
  CONFLICT = 40900,
  /** Too many attempts; `Retry-After` says when to try again. */
  TOO_MANY_ATTEMPTS = 42900,
  /** The implementation of the application cannot do this, for example list sessions with stateless tokens. */
  NOT_IMPLEMENTED = 50100,
  /** The database or the token store does not answer, or the password queue is full. */
  AUTH_UNAVAILABLE = 50300,
}

export type AuthErrorName = keyof typeof AuthErrorCode;

/** What a caller reads. Says what to do, never what was sent. */
export const AUTH_ERROR_MESSAGES: Readonly<Record<AuthErrorCode, string>> = Object.freeze({
  [AuthErrorCode.BAD_REQUEST]: 'Send a JSON object with the fields of this endpoint as application/json',
  [AuthErrorCode.TOKEN_MISSING]: 'No token was sent, log in first',
  [AuthErrorCode.TOKEN_INVALID]: 'The token is invalid or expired, log in again',
  [AuthErrorCode.LOGIN_FAILED]: 'Wrong username or password',
  [AuthErrorCode.USER_DISABLED]: 'The account is disabled',
  [AuthErrorCode.FORBIDDEN]: 'The user lacks the right to do this',
  [AuthErrorCode.PASSWORD_CHANGE_REQUIRED]: 'Choose a new password first: POST /v1/api/auth/password',
  [AuthErrorCode.NOT_FOUND]: 'There is no such thing',
  [AuthErrorCode.CONFLICT]: 'This is in conflict with what there is',
  [AuthErrorCode.TOO_MANY_ATTEMPTS]: 'Too many attempts, try again later',
  [AuthErrorCode.NOT_IMPLEMENTED]: 'The tokens of this application do not support this',
  [AuthErrorCode.AUTH_UNAVAILABLE]: 'Authentication is unavailable for the moment, try again later',
});
