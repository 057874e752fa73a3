/**
 * All error codes. A code is the HTTP status times 100 plus a number. Its name is the member `error` of the answer.
 * Some codes are not used by the core, but reserved for packages and extensions.
 */
export enum AuthErrorCode {
  /** The body or the query is invalid. For a password that is not allowed, `reason` says why. */
  BAD_REQUEST = 40000,
  /** A link that was sent to the user, for example by email, is unknown, used or expired. */
  LINK_INVALID = 40010,
  /** No token on a protected path: the header is absent or lacks the configured prefix. */
  TOKEN_MISSING = 40100,
  /** The token is expired, altered, revoked or unknown. */
  TOKEN_INVALID = 40101,
  /** Unknown username or wrong password. Both get the same answer. */
  LOGIN_FAILED = 40110,
  /** The password was right, but the account is disabled. */
  USER_DISABLED = 40111,
  /** The password was right, and the login needs a second factor. */
  SECOND_FACTOR_REQUIRED = 40112,
  /** The code of a second factor is wrong, or the challenge has ended. */
  FACTOR_FAILED = 40113,
  /** The user has to show the password or another factor again, because the login is too old for this. */
  FRESH_LOGIN_REQUIRED = 40120,
  /** The user lacks a role or a permission, or a policy refuses. */
  FORBIDDEN = 40300,
  /** The user must choose a new password first. */
  PASSWORD_CHANGE_REQUIRED = 40301,
  /** A page of another origin sent the request. `reason` says why it was refused. */
  CROSS_ORIGIN = 40302,
  /** The user has to set up a second factor before anything else. */
  FACTOR_ENROLMENT_REQUIRED = 40303,
  /** An API key may not call this route, whatever its owner may do. */
  KEY_NOT_ALLOWED = 40304,
  /** The user, role or session does not exist. */
  NOT_FOUND = 40400,
  /** It exists already, is in use, was changed in the meantime, or is the last administrator. */
  CONFLICT = 40900,
  /** Too many attempts; `Retry-After` says when to try again. */
  TOO_MANY_ATTEMPTS = 42900,
  /** The implementation does not support this, for example sessions with stateless tokens. */
  NOT_IMPLEMENTED = 50100,
  /** The database or the token store does not answer, or the password queue is full. */
  AUTH_UNAVAILABLE = 50300,
}

export type AuthErrorName = keyof typeof AuthErrorCode;

/** The default messages. They never contain what was sent. */
export const AUTH_ERROR_MESSAGES: Readonly<Record<AuthErrorCode, string>> = Object.freeze({
  [AuthErrorCode.BAD_REQUEST]: 'Send a JSON object with the fields of this endpoint as application/json',
  [AuthErrorCode.LINK_INVALID]: 'The link is invalid, expired or already used',
  [AuthErrorCode.TOKEN_MISSING]: 'No token was sent, log in first',
  [AuthErrorCode.TOKEN_INVALID]: 'The token is invalid or expired, log in again',
  [AuthErrorCode.LOGIN_FAILED]: 'Wrong username or password',
  [AuthErrorCode.USER_DISABLED]: 'The account is disabled',
  [AuthErrorCode.SECOND_FACTOR_REQUIRED]: 'A second factor is required',
  [AuthErrorCode.FACTOR_FAILED]: 'Wrong or expired code',
  [AuthErrorCode.FRESH_LOGIN_REQUIRED]: 'Confirm your identity again',
  [AuthErrorCode.FORBIDDEN]: 'The user is not allowed to do this',
  [AuthErrorCode.PASSWORD_CHANGE_REQUIRED]: 'Choose a new password first: POST /v1/api/auth/password',
  [AuthErrorCode.CROSS_ORIGIN]: 'Requests from other origins are not allowed',
  [AuthErrorCode.FACTOR_ENROLMENT_REQUIRED]: 'Set up a second factor first',
  [AuthErrorCode.KEY_NOT_ALLOWED]: 'API keys may not call this route',
  [AuthErrorCode.NOT_FOUND]: 'Not found',
  [AuthErrorCode.CONFLICT]: 'This conflicts with the current state',
  [AuthErrorCode.TOO_MANY_ATTEMPTS]: 'Too many attempts, try again later',
  [AuthErrorCode.NOT_IMPLEMENTED]: 'The tokens of this application do not support this',
  [AuthErrorCode.AUTH_UNAVAILABLE]: 'Authentication is temporarily unavailable, try again later',
});
