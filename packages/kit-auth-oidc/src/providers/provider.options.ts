import type { KeyObject } from 'node:crypto';

/** Calls a provider: https only, no redirects, at most 256 KB, within `timeoutMs`. */
export type ProviderFetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The user at a provider without OpenID Connect. */
export interface OAuth2Profile {
  /** The permanent id of the user at the provider, for example a number. Never a name or an address. */
  readonly subject: string;
  /** The email address. */
  readonly address?: string | undefined;
  /** Whether the provider has verified that the user owns the address. */
  readonly verified?: boolean | undefined;
  /** The display name. */
  readonly name?: string | undefined;
}

/** A provider of plain OAuth 2, without discovery and ID tokens. */
export interface OAuth2Endpoints {
  /** The URL of the authorization endpoint. */
  readonly authorization: string;
  /** The URL of the token endpoint. */
  readonly token: string;
  /**
   * Reads the user of an access token.
   *
   * @param fetch like the global `fetch`, with the limits for calls to providers
   */
  profile(accessToken: string, fetch: ProviderFetch): Promise<OAuth2Profile>;
}

/** Authentication of the client at the token endpoint. */
export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/**
 * A provider that users log in with. `google()`, `microsoft()` and `github()` return one.
 *
 * @example
 * const company: OidcProvider = {
 *   name: 'company',
 *   title: 'Example Ltd',
 *   issuer: 'https://login.example.com',
 *   clientId: process.env.OIDC_CLIENT_ID,
 *   clientSecret: process.env.OIDC_CLIENT_SECRET,
 * };
 */
export interface OidcProvider {
  /** The name in URLs, events and tables: 1 to 32 characters of `a-z0-9-`. Do not change it later. */
  readonly name: string;
  /** The label of the button. Default: `name`. */
  readonly title?: string | undefined;
  /** The issuer, exactly as in the discovery document. For OAuth 2, a URL that never changes. */
  readonly issuer: string;
  readonly clientId: string;
  /** Required unless `authMethod` is `private_key_jwt` or `none`. */
  readonly clientSecret?: string | undefined;
  /** Default `client_secret_basic`. */
  readonly authMethod?: ClientAuthMethod | undefined;
  /** The private key for `private_key_jwt`: an RSA or EC key in PEM (PKCS 8), or a `KeyObject`. */
  readonly privateKey?: string | KeyObject | undefined;
  /** Default `openid email profile`. */
  readonly scopes?: string | undefined;
  /** The claim that identifies the user at this provider. Default `sub`. */
  readonly subject?: string | undefined;
  /**
   * When an address counts as verified: if the claim `email_verified` is `true`, always, or never. Use `always` only if you
   * trust everyone who can set addresses at the provider. Default `claim`.
   */
  readonly emailVerified?: 'claim' | 'always' | 'never' | undefined;
  /** Audiences that an ID token may have in addition to `clientId`. Default: none. */
  readonly audiences?: readonly string[] | undefined;
  /** Values of `acr` or `amr` that mean a second factor. See the option `secondFactor`. Default: none. */
  readonly mfa?: readonly string[] | undefined;
  /** The `prompt` of logins, for example `select_account`. Default: none. */
  readonly prompt?: string | undefined;
  /** More parameters of the authorization request, for example `{ hd: 'example.com' }`. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the provider supports re-authentication (`max_age`) and says when it asked its user (`auth_time`). Default true,
   * and false for OAuth 2.
   */
  readonly fresh?: boolean | undefined;
  /** The endpoints of a provider without OpenID Connect. */
  readonly oauth2?: OAuth2Endpoints | undefined;
}
