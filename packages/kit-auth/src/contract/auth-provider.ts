import type { AuthSessions, SessionEndReason } from './auth-sessions.js';
import type { LoginProof, ResolvedLogin } from './login-proof.js';
import type { LoginUser } from './login-user.js';
import type { UserId } from './user-id.js';

/**
 * Injection token of the token implementation. Contribute `{ provide: AUTH_PROVIDER, useClass: ... }` from any module.
 * Start-up fails with `IllegalStateException` unless there is exactly one.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_PROVIDER, useClass: OpaqueTokenProvider }] })
 * export class OpaqueTokenModule {}
 * ```
 */
export const AUTH_PROVIDER = Symbol.for('kit-auth.provider');

/**
 * A token implementation: issues tokens, resolves them to users, and ends them if it can.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class OpaqueTokenProvider implements AuthProvider {
 *   readonly extensionName = 'opaque';
 *   readonly keepsProof = true;
 *   private readonly logins = new Map<string, ResolvedLogin>();
 *
 *   async issueToken(user: LoginUser, proof: LoginProof = { factors: {} }): Promise<string> {
 *     const token = randomBytes(32).toString('base64url');
 *     this.logins.set(token, { user, proof });
 *     return token;
 *   }
 *
 *   resolve(token: string): ResolvedLogin {
 *     const login = this.logins.get(token);
 *     if (login === undefined || (login.proof.expiresAt ?? Infinity) <= Date.now() / 1000) {
 *       throw new AuthException(AuthErrorCode.TOKEN_INVALID);
 *     }
 *     return login;
 *   }
 *
 *   resolveToken(token: string): LoginUser {
 *     return this.resolve(token).user;
 *   }
 *
 *   async invalidate(token: string): Promise<void> {
 *     this.logins.delete(token);
 *   }
 * }
 * ```
 */
export interface AuthProvider {
  /** Shown at start-up, for example `jwt-stateless`. */
  readonly extensionName: string;
  /**
   * Whether tokens carry the proof that `issueToken` was given, so that `resolve` returns it. Features that depend on
   * the proof refuse to start with a provider that keeps none.
   */
  readonly keepsProof?: boolean;
  /** The longest life of a token in seconds. Token transports need it, for example for the `Max-Age` of a cookie. */
  readonly lifetimeSeconds?: number;
  /**
   * The prefix of its tokens. Start-up fails with `IllegalStateException` when a credential would resolve such tokens.
   */
  readonly tokenPrefixes?: readonly string[];
  /** The `iss` of its tokens. Start-up fails with `IllegalStateException` when a credential resolves tokens of this issuer. */
  readonly issuer?: string;
  /**
   * The full keys of options that still have their published placeholder. With `kit.auth.strict`, start-up refuses
   * them.
   */
  readonly placeholders?: readonly string[];
  /** @param proof how the user logged in; a provider that keeps no proof ignores it */
  issueToken(user: LoginUser, proof?: LoginProof): Promise<string>;
  /**
   * Returns the user. Do not return a promise when no I/O is needed, which makes every request cheaper.
   *
   * Throw or reject with `AuthException(TOKEN_INVALID)` for an invalid token. Any other error counts as a failure of
   * the provider: it is logged and answered with 50300.
   */
  resolveToken(token: string): LoginUser | Promise<LoginUser>;
  /** Called instead of `resolveToken` if it exists. Required with `keepsProof`. Fails like `resolveToken`. */
  resolve?(token: string): ResolvedLogin | Promise<ResolvedLogin>;
  /**
   * Issues a token for a login whose user has shown a factor again (`POST fresh`), and ends the former token as
   * `replaced`. A logout with the former token ends the new one too. Without this method the core issues a token and
   * calls `invalidate` for the former one.
   *
   * Reject with `AuthException(TOKEN_INVALID)` and a `reason` when the former token has ended.
   */
  replaceToken?(former: string, user: LoginUser, proof: LoginProof): Promise<string>;
  /**
   * Ends a token. Unknown and ended tokens are not an error.
   *
   * @param reason for the refusals that follow. Default `logged-out`
   */
  invalidate(token: string, reason?: SessionEndReason): Promise<void>;
  /**
   * Whether a token was issued while its user had this security stamp. For providers whose tokens stay valid when
   * their user changes: administrative actions refuse older tokens.
   */
  isIssuedFor?(token: string, stamp: string): boolean;
  /** Lists and revokes live sessions, for a provider that knows them. */
  readonly sessions?: AuthSessions;
  /** Cache invalidation. Without an id, drops all cached users. */
  userChanged?(userId?: UserId): void;
}
