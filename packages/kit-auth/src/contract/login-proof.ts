import type { LoginUser } from './login-user.js';
import type { UserId } from './user-id.js';

/** How the user of a token proved who they are. It travels with the login; a refresh never makes it younger. */
export interface LoginProof {
  /** Names the session or the family of refresh tokens. 1 to 64 characters of `[\w.-]`; never a token. */
  readonly loginId?: string;
  /**
   * What the user proved, and when in seconds since 1970. Our names: `password`, `totp`, `recovery`, `passkey`,
   * `oidc`, `email` and `key`. Empty for tokens whose provider keeps no proof.
   */
  readonly factors: Readonly<Record<string, number>>;
  /** The end of the login in seconds since 1970. No token of it lives longer. */
  readonly expiresAt?: number;
  /** Who really acts, when an administrator works as this user. */
  readonly actor?: { readonly userId: UserId; readonly username: string };
}

/** What a token resolves to. */
export interface ResolvedLogin {
  readonly user: LoginUser;
  readonly proof: LoginProof;
}

/** Who sends a request: the user, how they proved it, and the token that they sent. */
export interface Principal extends ResolvedLogin {
  /** What resolved the token: the `extensionName` of the provider, or the `scheme` of a credential. */
  readonly scheme: string;
  readonly token: string;
}
