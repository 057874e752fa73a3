import type { AuthSessions } from './auth-sessions.js';
import type { Client } from './client.js';
import type { LoginProof, Principal, ResolvedLogin } from './login-proof.js';
import type { UserId } from './user-id.js';

/**
 * Injection token of long-lived logins on top of a provider without sessions, such as refresh tokens. At most one
 * module may contribute it, and only with a provider that keeps the proof and has no `sessions` of its own. Otherwise
 * start-up fails with `IllegalStateException`.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_LOGINS, useClass: RefreshLogins }] })
 * export class RefreshModule {}
 * ```
 */
export const AUTH_LOGINS = Symbol.for('kit-auth.logins');

/**
 * Opens, checks, lists and ends logins that outlive their access tokens. A login is named by the `loginId` of the
 * proof, which is also the session id of `listOf` and `end`.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class RefreshLogins implements AuthLogins {
 *   async open({ user, proof }: ResolvedLogin, client: Client | undefined): Promise<OpenedLogin> {
 *     const { id, refreshToken } = await this.families.create(user.userId, proof, client);
 *     const expiresAt = Math.floor(Date.now() / 1000) + 600; // the access token's life
 *     return { proof: { ...proof, loginId: id, expiresAt }, answer: { refreshToken, expiresAt } };
 *   }
 *
 *   check({ proof }: Principal): void {
 *     if (this.families.isKnownToBeOver(proof.loginId)) {
 *       throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'logged-out' });
 *     }
 *   }
 *   // listOf, currentId, end and endAllOf as in AuthSessions
 * }
 * ```
 */
export interface AuthLogins extends AuthSessions {
  /**
   * Opens a login after all its steps. The access token is issued for the returned proof.
   *
   * @param client the client that logs in; undefined outside of requests
   */
  open(login: ResolvedLogin, client: Client | undefined): Promise<OpenedLogin>;
  /**
   * Called for every request with a token of the provider. Return undefined without a promise when no I/O is needed.
   *
   * Throw or reject with `AuthException(TOKEN_INVALID)` and a `reason` when the login is over.
   */
  check(principal: Principal): void | Promise<void>;
  /**
   * Renews a login whose user has shown a factor again (`POST fresh`). The login keeps its id and its end. Its earlier
   * refresh tokens are no longer valid, but its access tokens are. Without this method `POST fresh` answers 50100.
   *
   * Reject with `AuthException(TOKEN_INVALID)` and a `reason` when the login is over.
   *
   * @param login its proof has the `loginId`, and the factors with their new times
   */
  renew?(login: ResolvedLogin, client: Client | undefined): Promise<OpenedLogin>;
  /**
   * Ends the login of a refresh token, for a client whose access token has expired. Unknown and ended tokens are not an
   * error. Without this method, `AuthManager.logout()` ends no such login.
   *
   * @returns the user, or undefined if nothing ended
   */
  endByRefreshToken?(refreshToken: string): Promise<UserId | undefined>;
}

export interface OpenedLogin {
  /** The proof of the token to issue: with a `loginId`, and with an `expiresAt` that ends the access token. */
  readonly proof: LoginProof;
  /** More members of the answer to the login, besides `token` and `user`, for example `refreshToken`. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** The end of the login in seconds since 1970, if it is known. Token transports need it. It is not sent. */
  readonly endsAt?: number;
}
