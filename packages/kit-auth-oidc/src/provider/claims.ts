import { Logger } from '@nestjs/common';
import type { AuthException } from 'kit-auth';
import { parseAddress } from 'kit-auth/extend';
import type { ProviderSettings } from '../config/providers.js';
import type { OAuth2Profile } from '../contract/provider.options.js';
import type { ExternalLogin, ProviderTokens } from '../contract/external-identity.js';
import { externalLoginFailed } from '../contract/refusals.js';

const MAX_SUBJECT = 255;
/** What `isSubject` asks for, for messages. */
export const SUBJECT_FORM = `a string of 1 to ${MAX_SUBJECT} printable ASCII characters`;
const MAX_NAME = 100;
/** How far the clock of a provider may be ahead, in seconds. */
const TOLERANCE = 60;

export type Claims = Readonly<Record<string, unknown>>;

const logger = new Logger('KitAuth');

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
 * The claims of an ID token, with what the user info of the same user adds: the address, whether it is verified, and the name.
 * Nothing else: what counts at a login is signed. The user info cannot verify another address than that of the ID token.
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

/** Some providers send null or an empty string for what they do not have. */
export function isGiven(claim: unknown): boolean {
  return claim !== undefined && claim !== null && claim !== '';
}

/** Reads the answer of `OAuth2Endpoints.profile`. @throws AuthException 40114 `provider` */
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

/** Logs which check failed, but nothing that the provider sent. */
function unusable({ name }: ProviderSettings, problem: string): AuthException {
  logger.warn(`[oidc] a login with ${name} failed: ${problem}`);
  return externalLoginFailed('provider');
}

/** Whether a table can keep a subject, and compare it exactly. */
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
