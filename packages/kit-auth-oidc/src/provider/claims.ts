import { parseAddress } from 'kit-auth/extend';
import type { ProviderSettings } from '../config/providers.js';
import type { OAuth2Profile } from '../contract/provider.options.js';
import type { ExternalLogin, ProviderTokens } from '../contract/external-identity.js';
import { externalLoginFailed } from '../contract/refusals.js';

const MAX_SUBJECT = 255;
const MAX_NAME = 100;
/** How far the clock of a provider may be ahead, in seconds. */
const TOLERANCE = 60;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Reads the claims of an ID token whose signature, issuer, audience, nonce and end were checked.
 *
 * @throws AuthException 40114 `provider` for claims that cannot be used
 */
export function readClaims(
  provider: ProviderSettings,
  tokens: ProviderTokens,
  claims: Claims,
): ExternalLogin {
  const { iat, auth_time: authTime, sid, sub, acr, amr, email, email_verified: verified, name } = claims;
  const audiences: unknown[] = [claims['aud']].flat();
  const known = [provider.clientId, ...(provider.audiences ?? [])];
  const isMeant = audiences.every((audience) => known.includes(audience as string));
  if (!isMeant || typeof iat !== 'number' || iat > now() + TOLERANCE) {
    throw externalLoginFailed('provider');
  }
  const identity = identityOf(provider, claims[provider.subject], {
    address: email,
    verified,
    name,
  });
  return {
    identity: { ...identity, claims },
    tokens,
    authTime: isTime(authTime) ? Math.min(authTime, now()) : undefined,
    sub: isSubject(sub) ? sub : undefined,
    sid: isSubject(sid) ? sid : undefined,
    methods: [acr, amr].flat().filter((method) => typeof method === 'string'),
  };
}

/** Reads the answer of `OAuth2Endpoints.profile`. @throws AuthException 40114 `provider` */
export function readProfile(
  provider: ProviderSettings,
  tokens: ProviderTokens,
  profile: unknown,
): ExternalLogin {
  const { subject, address, verified, name } = (profile ?? {}) as Partial<OAuth2Profile>;
  const identity = identityOf(provider, subject, { address, verified, name });
  return {
    identity: { ...identity, claims: {} },
    tokens,
    authTime: undefined,
    sub: undefined,
    sid: undefined,
    methods: [],
  };
}

function identityOf(
  { name: provider, issuer, emailVerified }: ProviderSettings,
  subject: unknown,
  { address: given, verified, name }: Partial<Record<'address' | 'verified' | 'name', unknown>>,
): Omit<ExternalLogin['identity'], 'claims'> {
  if (!isSubject(subject)) {
    throw externalLoginFailed('provider');
  }
  const address = parseAddress(given)?.address;
  const says = { claim: verified === true, always: true, never: false }[emailVerified];
  return {
    provider,
    issuer,
    subject,
    address,
    isVerified: address !== undefined && says,
    name: typeof name === 'string' && name.trim() !== '' && name.length <= MAX_NAME ? name : undefined,
  };
}

/** Whether a table can keep a subject, and compare it exactly. */
function isSubject(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_SUBJECT &&
    /^[\x20-\x7e]+$/.test(value)
  );
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
