/** A user of a provider. */
export interface ExternalIdentity {
  /** The name of the provider in the options. */
  readonly provider: string;
  readonly issuer: string;
  /** Identifies the user at this issuer. */
  readonly subject: string;
  /** The email address, as the provider has it. Undefined if it has none, or one that is not valid. */
  readonly address: string | undefined;
  /** Whether the provider has verified that the user owns the address. */
  readonly isVerified: boolean;
  /** The name that people see. */
  readonly name: string | undefined;
  /** The claims of the ID token and of the user info. Empty for OAuth 2. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The tokens of a provider, for calls to its API. Never log them. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly idToken?: string | undefined;
  /** The life of the access token in seconds. */
  readonly expiresIn?: number | undefined;
  readonly scope?: string | undefined;
}

/** An identity that has just logged in at its provider. */
export interface ExternalLogin {
  readonly identity: ExternalIdentity;
  readonly tokens: ProviderTokens;
  /** When the provider asked its user, in seconds since 1970. Undefined if it does not say so. */
  readonly authTime: number | undefined;
  /** The `sub` of the ID token, for back-channel logout. */
  readonly sub: string | undefined;
  /** The session at the provider, for back-channel logout. */
  readonly sid: string | undefined;
  /** The values of `acr` and `amr`. */
  readonly methods: readonly string[];
  /**
   * Asks the provider whether it has verified the address, where the ID token does not say so and the user info may. Only a
   * sign-up needs it. Rejects like `ProviderConnections.redeem`.
   */
  readonly verified?: () => Promise<ExternalIdentity>;
}
