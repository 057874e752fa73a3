import type { LoginUser } from 'kit-auth';
import type { IssuedToken } from './issued-token.js';

/** Finds the users of the tokens of an issuer. */
export interface TokenUsers {
  /**
   * @param token as it was sent
   * @throws AuthException 40101 `unknown-user`
   */
  userOf(issued: IssuedToken, token: string): LoginUser | Promise<LoginUser>;
  /** Forgets the users that are cached. */
  forget?(): void;
}
