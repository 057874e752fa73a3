/**
 * All error codes. A code is the HTTP status times 100 plus a number. Its name is the member `error` of the answer.
 * Some codes are not used by the core, but reserved for packages and extensions.
 */
// In each comment, the first paragraph is the cause, and the others say what clients do.
export enum AuthErrorCode {
  /**
   * The body or the query is invalid. For a password that is not allowed, `reason` says why.
   *
   * Show the `message`, which says what to correct. The `reason` of a password is `password-too-short`,
   * `password-too-long`, `password-common`, `password-has-username`, `password-unchanged` or `password-malformed`. That of a
   * passkey is `not-discoverable`: the authenticator cannot store it.
   */
  BAD_REQUEST = 40000,
  /**
   * A link of a mail, or its code, is unknown, wrong, used or stopped, was tried too often, or has expired
   * (`reason` is `expired`). With the reason `other-browser`, a login link is used in a browser that has not asked for it.
   *
   * Offer to send a new link. With `other-browser`, ask for the address and the code of the mail.
   */
  LINK_INVALID = 40010,
  /**
   * A protected route was called without the token header, or its value lacks the prefix.
   *
   * Send the user to the login. With the reason `too-late`, the client of a socket sent no token in time: connect again.
   */
  TOKEN_MISSING = 40100,
  /**
   * The token is expired, altered, revoked or unknown; `reason` can say why.
   *
   * Refresh the token, or send the user to the login and discard the token. The `reason` is one of
   *
   * - `expired`, `signature` or `malformed`;
   * - `logged-out`, `kicked`, `replaced`, `idle`, `password-changed`, `address-changed` or `disabled`, if a session, a
   *   login or a key has ended;
   * - `provider-logout`, if the user has logged out of the provider of the login (`kit-auth-oidc`);
   * - `reused`, if a refresh token of the login was used twice, so it may be stolen;
   * - `too-many-attempts`, if `POST fresh` got twenty wrong passwords or codes;
   * - `revoked`, if the user has changed since the token was issued;
   * - `unknown-user`, if the token of another issuer has no user here;
   * - `audience`, `name` or `data`, if the user of a job or message was sent to another audience, for a job or message of
   *   another name, or with other data (`kit-auth-jobs`);
   * - `unavailable`, `too-many-refusals` or `unknown`, for a message that comes after its socket was closed
   *   (`kit-auth-sockets`): tokens could not be checked, too many messages were refused, or the token has become invalid for
   *   another reason. Connect again.
   */
  TOKEN_INVALID = 40101,
  /**
   * The user is unknown or the password is wrong. Both give the same answer after the same time.
   *
   * Ask for both again.
   */
  LOGIN_FAILED = 40110,
  /**
   * The password is right, but the account is disabled.
   *
   * Tell the user to ask an administrator.
   */
  USER_DISABLED = 40111,
  /**
   * With `kit-auth-factors` or `kit-auth-passkeys`: the password is right, and the login needs a second factor.
   *
   * Ask for a code or a passkey, and send it to `POST login/factor` with the `challenge` of this answer. `factors` lists what
   * it accepts.
   */
  SECOND_FACTOR_REQUIRED = 40112,
  /**
   * The code is wrong or was used, or the passkey was not accepted; `reason` can be `challenge-ended`.
   *
   * Ask for another code, or for the passkey again. With the reason `challenge-ended`, begin again.
   */
  FACTOR_FAILED = 40113,
  /**
   * With `kit-auth-oidc`: the login with Google or another provider failed. `reason` is `denied`, `state`, `provider`,
   * `unverified`, `no-account` or `not-allowed`.
   *
   * Show the login page, and say why. With the reason `state`, the attempt has ended or belongs to another browser: begin
   * again.
   */
  EXTERNAL_LOGIN_FAILED = 40114,
  /**
   * The login is too old for this route: `POST fresh`. Has `missing`, `reason` and `maxAge`.
   *
   * Keep the token. Ask for one of the factors in `missing`, send it to `POST fresh`, and repeat the request with the new
   * token. A route that needs two factors then asks for the other. Before `passkey` and `email`, call
   * `POST fresh/options`; for `oidc`, `POST oidc/{name}/fresh`. With `login`, nothing confirms the login: the user logs in
   * again. `reason` is `missing` if the user has not shown such a factor in this login, otherwise `expired`. `maxAge` is in
   * seconds.
   */
  FRESH_LOGIN_REQUIRED = 40120,
  /**
   * A role, permission or policy is `missing`; at login, `reason` is `session-limit`.
   *
   * Do not repeat the request: the user may not do this. With the reason `session-limit`, the user has to end another
   * session first. With the reason `another-login`, a socket got a token of another login: connect again with this token.
   */
  FORBIDDEN = 40300,
  /**
   * The user must choose a new password first; only `me`, `password` and `logout` are allowed.
   *
   * Ask for a new password, and send it to `POST password`.
   */
  PASSWORD_CHANGE_REQUIRED = 40301,
  /**
   * A page of another origin sent the request with a cookie, or a login; `reason` says why.
   *
   * If the page is yours, add its origin to the options of `kit-auth-browser`. The `reason` is `cross-site`,
   * `same-site`, `origin`, or `unknown` if the request does not say where it comes from.
   */
  CROSS_ORIGIN = 40302,
  /**
   * With `kit-auth-factors`: the user needs a login with a second factor first.
   *
   * Show the page where users add a device. Users who have one log in again. An API key has to be created anew by a login with a
   * second factor. A token of another issuer needs one of the values of `mfa` in its `acr` or `amr`.
   */
  FACTOR_ENROLMENT_REQUIRED = 40303,
  /**
   * The credential may not call this route, whatever its user may do: an API key of `kit-auth-keys`, or a token of another
   * issuer (`kit-auth-issuers`).
   *
   * Use the token of a login.
   */
  KEY_NOT_ALLOWED = 40304,
  /**
   * The user, role, session or key does not exist.
   *
   * Read the list again.
   */
  NOT_FOUND = 40400,
  /**
   * It exists already, is in use, was changed in the meantime, or is the last administrator.
   *
   * Show the `message`, and read the current state before you try again. With the reason `last`, the user could no longer log
   * in. With `kit-auth-oidc`, the reason can also be
   *
   * - `limit`, if the user has linked as many identities as possible;
   * - `taken`, if the identity is linked to an account already;
   * - `link`, if an account has this address: the user logs in to it, then links the identity.
   */
  CONFLICT = 40900,
  /**
   * Too many attempts; retry after the seconds in `Retry-After`.
   *
   * Wait, and say how long. Earlier attempts are refused without a look at the password. With `kit-auth-sockets`, the reason
   * can be `too-many-sockets`, if the user has as many as possible, or `too-many-waiting`, if too many clients wait to be
   * connected. Both have no `Retry-After`.
   */
  TOO_MANY_ATTEMPTS = 42900,
  /**
   * The implementation or the user store lacks this, such as sessions with `kit-auth-jwt`.
   *
   * Do not repeat the request. Hide the function in your client.
   */
  NOT_IMPLEMENTED = 50100,
  /**
   * The database or the implementation does not answer, or too many logins are waiting.
   *
   * Keep the token, and try again, after the seconds in `Retry-After` if the answer has the header.
   */
  AUTH_UNAVAILABLE = 50300,
}

/**
 * Error codes of an application or a package, by declaration merging: the `error` of the answer, with its code. A code
 * begins with the status, 400 to 499, and ends with 50 to 99, which kit-auth never uses.
 *
 * @example
 * declare module 'kit-auth' {
 *   interface OwnErrorCodes {
 *     TERMS_NOT_ACCEPTED: 40350;
 *   }
 * }
 *
 * const message = 'Accept the terms of service first';
 * throw new AuthException(40350, { error: 'TERMS_NOT_ACCEPTED', message });
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- for declaration merging
export interface OwnErrorCodes {}

export type OwnErrorCode = OwnErrorCodes[keyof OwnErrorCodes];

/** A code of kit-auth, or an own one. */
export type ErrorCode = AuthErrorCode | OwnErrorCode;

export type AuthErrorName = keyof typeof AuthErrorCode | keyof OwnErrorCodes;

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
  [AuthErrorCode.EXTERNAL_LOGIN_FAILED]: 'The login with this provider failed, try again',
  [AuthErrorCode.FRESH_LOGIN_REQUIRED]: 'Confirm your identity again',
  [AuthErrorCode.FORBIDDEN]: 'The user is not allowed to do this',
  [AuthErrorCode.PASSWORD_CHANGE_REQUIRED]: 'Choose a new password first: POST /v1/api/auth/password',
  [AuthErrorCode.CROSS_ORIGIN]: 'Requests from other origins are not allowed',
  [AuthErrorCode.FACTOR_ENROLMENT_REQUIRED]: 'Set up a second factor first',
  [AuthErrorCode.KEY_NOT_ALLOWED]: 'This credential is not allowed here',
  [AuthErrorCode.NOT_FOUND]: 'Not found',
  [AuthErrorCode.CONFLICT]: 'This conflicts with the current state',
  [AuthErrorCode.TOO_MANY_ATTEMPTS]: 'Too many attempts, try again later',
  [AuthErrorCode.NOT_IMPLEMENTED]: 'The tokens of this application do not support this',
  [AuthErrorCode.AUTH_UNAVAILABLE]: 'Authentication is temporarily unavailable, try again later',
});
