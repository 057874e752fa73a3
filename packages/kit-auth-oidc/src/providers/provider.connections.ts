import type { ExternalLogin } from './external-identity.js';
import type { ProviderSettings } from './providers.js';

/** The secrets of one login. Each is known only to this server, or bound to the browser. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

/** The parameters of an authorization request that differ by login. */
export interface AuthorizationRequest extends LoginSecrets {
  readonly prompt?: string | undefined;
  /** Whether the provider must ask its user again. */
  readonly isFresh: boolean;
}

/** A valid logout token. Its `jti` may have been used before. */
export interface LogoutToken {
  readonly sid: string | undefined;
  readonly subject: string | undefined;
  readonly jti: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Calls providers. All methods reject with 50300 if a provider does not answer in time.
 * Tests of applications replace it with `FakeProvider` of `kit-auth-oidc/testing`.
 *
 * @hideconstructor
 */
export abstract class ProviderConnections {
  /** Returns the URL of the provider for the browser. */
  abstract authorizationUrl(provider: ProviderSettings, request: AuthorizationRequest): Promise<string>;
  /**
   * Exchanges the code of a callback for the identity and the tokens.
   *
   * @param callback the URL to which the browser came back
   * @throws AuthException 40114 `denied` and `provider`
   */
  abstract redeem(provider: ProviderSettings, callback: URL, secrets: LoginSecrets): Promise<ExternalLogin>;
  /** Returns the URL at which the user also logs out of the provider. Undefined if the provider has none. */
  abstract logoutUrl(provider: ProviderSettings, returnTo: string): Promise<string | undefined>;
  /** Checks a logout token. @returns undefined if it is invalid */
  abstract readLogoutToken(provider: ProviderSettings, token: string): Promise<LogoutToken | undefined>;
}
