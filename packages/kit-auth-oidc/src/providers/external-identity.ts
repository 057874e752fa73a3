/** A user at a provider. */
export interface ExternalIdentity {
  /** The name of the provider in the options. */
  readonly provider: string;
  readonly issuer: string;
  /** Identifies the user at this issuer. */
  readonly subject: string;
  /** The email address at the provider. Undefined if it is missing or invalid. */
  readonly address: string | undefined;
  /** Whether the provider has verified that the user owns the address. */
  readonly isVerified: boolean;
  /** The display name. */
  readonly name: string | undefined;
  /** The claims of the ID token and of the user info. Empty for OAuth 2. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Tokens for calls to the API of the provider. Never log them. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn?: number | undefined;
  readonly scope?: string | undefined;
}

/** A login at a provider. */
export interface ExternalLogin {
  readonly identity: ExternalIdentity;
  readonly tokens: ProviderTokens;
  /** When the provider asked its user (`auth_time`), in seconds since 1970. Undefined if unknown. */
  readonly authTime: number | undefined;
  /** The `sub` of the ID token, for back-channel logout. */
  readonly sub: string | undefined;
  /** The session at the provider, for back-channel logout. */
  readonly sid: string | undefined;
  /** The values of `acr` and `amr`. */
  readonly methods: readonly string[];
  /**
   * Reads from the user info whether the address is verified, if the ID token does not say so. Only sign-ups need it. Rejects
   * like `ProviderConnections.redeem()`.
   */
  readonly verified?: () => Promise<ExternalIdentity>;
}
