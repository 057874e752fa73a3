import type { LoginUser } from 'kit-auth';
import type { TokenClaims } from '../contract/issuer.options.js';

/** Finds the users of the tokens of an issuer. */
export interface TokenUsers {
  /**
   * @param claims of the token, or of its actor
   * @param key of these claims in caches
   * @throws AuthException 40101 `unknown-user`
   */
  userOf(claims: TokenClaims, key: string): LoginUser | Promise<LoginUser>;
  /** Forgets the users that are cached. */
  forget?(): void;
}
