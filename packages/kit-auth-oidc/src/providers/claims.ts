import { Logger } from '@nestjs/common';
import type { AuthException } from 'kit-auth';
import { parseAddress } from 'kit-auth/feature';
import { externalLoginFailed } from '../refusals.js';
import type { ExternalLogin, ProviderTokens } from './external-identity.js';
import type { OAuth2Profile } from './provider.options.js';
import type { ProviderSettings } from './providers.js';

const MAX_SUBJECT = 255;
/** The rule of `isSubject`, for messages. */
export const SUBJECT_FORM = `a string of 1 to ${MAX_SUBJECT} printable ASCII characters`;
const MAX_NAME = 100;
/** The tolerated difference of clocks in seconds. */
const TOLERANCE = 60;

export type Claims = Readonly<Record<string, unknown>>;

const logger = new Logger('KitAuth');

/**
 * Reads the claims of an ID token. Its signature, issuer, audience, nonce and expiry were checked.
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
  if (!audiences.every((audience) => known.includes(audience as string))) {
    throw unusable(provider, 'the ID token has an audience that is neither "clientId" nor in "audiences"');
  }
  if (typeof iat !== 'number' || iat > now() + TOLERANCE) {
    throw unusable(provider, `"iat" of the ID token is missing, or more than ${TOLERANCE} seconds ahead`);
  }
  const subject = claims[provider.subject];
  if (!isSubject(subject)) {
    throw unusable(provider, `the claim "${provider.subject}" is not ${SUBJECT_FORM}`);
  }
  const identity = identityOf(provider, subject, { address: email, verified, name });
  return {
    identity: { ...identity, claims },
    tokens,
    authTime: isTime(authTime) ? Math.min(authTime, now()) : undefined,
    sub: isSubject(sub) ? sub : undefined,
    sid: isSubject(sid) ? sid : undefined,
    methods: [acr, amr].flat().filter((method) => typeof method === 'string'),
  };
}

/**
 * Adds the address, its verification and the name from the user info of the same user to the claims of an ID token. All other
 * claims must be signed. The user info cannot verify an address that differs from the one in the ID token.
 */
export function withUserInfo(claims: Claims, info: Claims): Claims {
  const [own, other] = [claims['email'], info['email']];
  const isSame = !isGiven(own) || !isGiven(other) || parseAddress(own)?.key === parseAddress(other)?.key;
  return {
    ...claims,
    email: isGiven(own) ? own : other,
    email_verified: (isSame ? info['email_verified'] : undefined) ?? claims['email_verified'],
    name: isGiven(claims['name']) ? claims['name'] : info['name'],
  };
}

/** Some providers send null or an empty string for a missing claim. */
export function isGiven(claim: unknown): boolean {
  return claim !== undefined && claim !== null && claim !== '';
}

/** Reads the result of `OAuth2Endpoints.profile()`. @throws AuthException 40114 `provider` */
export function readProfile(
  provider: ProviderSettings,
  tokens: ProviderTokens,
  profile: unknown,
): ExternalLogin {
  const { subject, address, verified, name } = (profile ?? {}) as Partial<OAuth2Profile>;
  if (!isSubject(subject)) {
    throw unusable(provider, `"subject" of the profile is not ${SUBJECT_FORM}`);
  }
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
  subject: string,
  { address: given, verified, name }: Partial<Record<'address' | 'verified' | 'name', unknown>>,
): Omit<ExternalLogin['identity'], 'claims'> {
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

/** Logs the failed check, without text of the provider. */
function unusable({ name }: ProviderSettings, problem: string): AuthException {
  logger.warn(`[oidc] a login with ${name} failed: ${problem}`);
  return externalLoginFailed('provider');
}

/** Whether a table can store a subject, and compare it exactly. */
export function isSubject(value: unknown): value is string {
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
