import type { LoginUser } from './login-user.js';
import type { UserId } from './user-id.js';

/** How the user of a token proved who they are. It belongs to the login. A refresh does not renew it. */
export interface LoginProof {
  /** Names the session or the family of refresh tokens. 1 to 64 characters of `[\w.-]`; never a token. */
  readonly loginId?: string;
  /**
   * The factors that the user has shown, with their times in seconds since 1970. Our names: `password`, `totp`,
   * `recovery`, `passkey`, `oidc`, `email` and `key`, and `mfa` for a second factor that another service has asked for, such as the
   * provider of `oidc`: it counts as one of the user's second factors. `account-created` says that the login has created
   * the account, and counts for the first enrolment. Empty for tokens whose provider keeps no proof.
   */
  readonly factors: Readonly<Record<string, number>>;
  /** The end of the login in seconds since 1970. None of its tokens lives longer. */
  readonly expiresAt?: number;
  /** The user who really acts, if an administrator works as this user. */
  readonly actor?: { readonly userId: UserId; readonly username: string };
}

/** The result of resolving a token. */
export interface ResolvedLogin {
  readonly user: LoginUser;
  readonly proof: LoginProof;
  /**
   * The user with all roles, if a credential limits `user` to less, as API keys do. Decides whether the token has to show a
   * second factor (`Factor.isRequiredFor`), and nothing else.
   */
  readonly owner?: LoginUser | undefined;
}

/** The sender of a request: the user, how they logged in, and their token. */
export interface Principal extends ResolvedLogin {
  /** The `extensionName` of the provider that resolved the token, or the `scheme` of the credential. */
  readonly scheme: string;
  readonly token: string;
}
