import type { ProviderSettings } from '../config/providers.js';
import type { ExternalLogin } from '../contract/external-identity.js';

/** What a login needs to know of the one at the provider. Small enough to be stored, and without tokens. */
export interface ReturnedLogin {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /**
   * For the proof, with the time when the provider asked its user, in seconds since 1970. 0 if it does not say so: such a login
   * is never fresh. `mfa` if it has asked for a second factor, and is trusted with that.
   */
  readonly factors: { readonly oidc: number; readonly mfa?: number };
  /** The `sub` and the `sid` of the ID token, for back-channel logout. */
  readonly sub?: string | undefined;
  readonly sid?: string | undefined;
  /** When the provider was asked who has logged in, in milliseconds since 1970. A logout since then ends the login. */
  readonly askedAt: number;
}

export function returnedLoginOf(
  { mfa, fresh }: ProviderSettings,
  { identity, authTime = 0, sub, sid, methods }: ExternalLogin,
  askedAt: number,
): ReturnedLogin {
  const { provider, issuer, subject } = identity;
  const time = fresh ? authTime : 0;
  const hasSecondFactor = methods.some((method) => mfa.includes(method));
  const factors = { oidc: time, ...(hasSecondFactor && { mfa: time }) };
  return { provider, issuer, subject, factors, sub, sid, askedAt };
}
