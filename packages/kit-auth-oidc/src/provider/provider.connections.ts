import type { ProviderSettings } from '../config/providers.js';
import type { ExternalLogin } from '../contract/external-identity.js';

/** What protects one login: each is known to this server only, or bound to the browser. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

/** What a login asks the provider for. */
export interface AuthorizationRequest extends LoginSecrets {
  readonly prompt?: string | undefined;
  /** Whether the provider has to ask its user again. */
  readonly isFresh: boolean;
}

/** A logout token that was checked, but for its `jti`. */
export interface LogoutToken {
  readonly sid: string | undefined;
  readonly subject: string | undefined;
  readonly jti: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * The connections to the providers. All methods reject with 50300 when a provider does not answer in time.
 * Tests of applications replace it with `FakeProvider` of `kit-auth-oidc/testing`.
 *
 * @hideconstructor
 */
export abstract class ProviderConnections {
  /** The URL of the provider to which the browser goes. */
  abstract authorizationUrl(provider: ProviderSettings, request: AuthorizationRequest): Promise<string>;
  /**
   * Finds out who has logged in.
   *
   * @param callback the URL to which the browser came back
   * @throws AuthException 40114 `denied` and `provider`
   */
  abstract redeem(provider: ProviderSettings, callback: URL, secrets: LoginSecrets): Promise<ExternalLogin>;
  /** The URL at which the user also logs out of the provider. Undefined if the provider has none. */
  abstract logoutUrl(provider: ProviderSettings, returnTo: string): Promise<string | undefined>;
  /** Checks a logout token. @returns undefined for one that is not valid */
  abstract readLogoutToken(provider: ProviderSettings, token: string): Promise<LogoutToken | undefined>;
}
