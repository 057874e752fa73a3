import type { UserId } from './user-id.js';

/** Injection token of the {@link AuthIdentities}. `kit-auth-oidc` contributes them. */
export const AUTH_IDENTITIES = Symbol.for('kit-auth.identities');

/** The users of identities at other issuers. */
export interface AuthIdentities {
  /** The user who has linked an identity, enabled or not. Undefined if there is none. */
  userOf(issuer: string, subject: string): Promise<UserId | undefined>;
}
