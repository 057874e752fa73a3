import type { AuthSessions } from './auth-sessions.js';
import type { LoginUser } from './login-user.js';

/** Contribute `{ provide: AUTH_PROVIDER, useClass: ... }` from any module; exactly one may exist. */
export const AUTH_PROVIDER = Symbol.for('kit-auth.provider');

/** A token implementation: issues tokens, resolves them to users, and ends them where it can. */
export interface AuthProvider {
  /** Shown at start-up, for example `jwt-stateless`. */
  readonly extensionName: string;
  issueToken(user: LoginUser): Promise<string>;
  /**
   * Answer at once where no I/O is needed: it saves every request a promise.
   * Throws or rejects with `AuthException(TOKEN_INVALID)`; anything else it throws is taken for trouble of the
   * implementation's own and answered with 50300.
   */
  resolveToken(token: string): LoginUser | Promise<LoginUser>;
  /** Ends a token. Unknown and ended tokens are no error. */
  invalidate(token: string): Promise<void>;
  /**
   * For an implementation whose tokens outlive a change of their user: whether a token was issued while the user had this
   * security stamp. What must not be done with an older token asks this.
   */
  isIssuedFor?(token: string, stamp: string): boolean;
  /** For an implementation that knows who is logged in. */
  readonly sessions?: AuthSessions;
  /** For one that keeps users: the module changed this user, or any number of them where no id is given. */
  userChanged?(userId?: number): void;
}
