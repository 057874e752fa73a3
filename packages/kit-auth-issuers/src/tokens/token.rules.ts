import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { type CompactToken, isObject, readCompact } from 'kit-auth/tools';
import type { IssuerSettings, TokenClaims } from '../issuer.js';

const MAX_SUBJECT = 255;
const MAX_KEY_ID = 256;
const MAX_AUDIENCES = 100;
const ACCESS_TOKEN = /^(?:application\/)?at\+jwt$/i;
/** Logout tokens, proofs and security events have other types (RFC 8725 section 3.11). */
const ANY_TOKEN = /^(?:application\/)?(?:at\+)?jwt$/i;
/** Claims of ID tokens and logout tokens, whose audience is the client of the login. */
const OF_OTHER_TOKENS = ['nonce', 'at_hash', 'events'];
/** Claims in which issuers name the type of a token: Keycloak, Cognito, and libraries of Django and Flask. */
const TYPE_CLAIMS = ['typ', 'token_use', 'token_type', 'type'];
const OTHER_TYPE = /^(?:id|refresh|offline|logout)(?:[ _-]?token)?$/i;
/** Parameters that change the signed input. Parameters with keys, such as `jwk` and `jku`, are never read. */
const REFUSED_PARAMETERS = ['crit', 'b64'];

/** A token whose claims are right. Its signature was not verified yet. */
export interface ReadToken {
  readonly alg: unknown;
  readonly kid: string | undefined;
  readonly claims: TokenClaims;
  /** The claims of the actor. Undefined without one. */
  readonly actor: TokenClaims | undefined;
}

/**
 * Checks everything except signature and times.
 *
 * @throws AuthException 40101 `malformed`
 */
export function readToken(issuer: IssuerSettings, token: string): ReadToken {
  const read = readCompact(token);
  if (read === undefined) {
    throw invalidToken('malformed');
  }
  const { header, payload } = read;
  const { alg, kid } = header;
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MAX_KEY_ID)) {
    throw invalidToken('malformed');
  }
  requireHeader(issuer, header);
  requireClaims(issuer, payload);
  return { alg, kid, claims: Object.freeze(payload) as TokenClaims, actor: actorIn(issuer, payload) };
}

function requireHeader({ algorithms, typ }: IssuerSettings, header: CompactToken['header']): void {
  if (REFUSED_PARAMETERS.some((name) => Object.hasOwn(header, name))) {
    throw invalidToken('malformed');
  }
  if (!(algorithms as readonly unknown[]).includes(header['alg'])) {
    throw refusal('The algorithm of the token is not accepted');
  }
  const type = header['typ'];
  if (typ === 'at+jwt' && !isLike(ACCESS_TOKEN, type)) {
    throw refusal('The token is not an access token: its "typ" is not "at+jwt"');
  }
  if (type !== undefined && !isLike(ANY_TOKEN, type)) {
    throw refusal('The token is not an access token: its "typ" is neither "JWT" nor "at+jwt"');
  }
}

function requireClaims(issuer: IssuerSettings, payload: CompactToken['payload']): void {
  const { iss, sub, exp, nbf, iat } = payload;
  const times = [exp, nbf ?? 0, iat ?? 0];
  if (iss !== issuer.issuer || !isSubject(sub) || !times.every(Number.isFinite)) {
    throw invalidToken('malformed');
  }
  if (!isFor(issuer.audience, payload['aud'])) {
    throw refusal('The token is for another audience');
  }
  if (issuer.typ === 'any' && OF_OTHER_TOKENS.some((name) => Object.hasOwn(payload, name))) {
    throw refusal('The token is an ID token or a logout token: send the access token');
  }
  if (TYPE_CLAIMS.some((name) => isLike(OTHER_TYPE, payload[name]))) {
    throw refusal('The token is an ID token, a refresh token or a logout token: send the access token');
  }
  if (issuer.bound === 'refuse' && Object.hasOwn(payload, 'cnf')) {
    throw refusal('The token is bound to a key ("cnf"), which is not checked here: send a bearer token');
  }
  const other = Object.entries(issuer.claims).find(
    ([name, value]) => !Object.hasOwn(payload, name) || payload[name] !== value,
  );
  if (other !== undefined) {
    throw refusal(`The token has another "${other[0]}"`);
  }
}

/**
 * The actor (RFC 8693 section 4.1), who must be a user of the same issuer. Earlier actors, in a nested `act`, are ignored.
 */
function actorIn({ issuer }: IssuerSettings, { act }: CompactToken['payload']): TokenClaims | undefined {
  if (act === undefined) {
    return undefined;
  }
  const actor = isObject(act) ? act : {};
  const { iss = issuer, sub } = actor;
  if (iss !== issuer || !isSubject(sub)) {
    throw refusal('The actor of the token ("act") needs a "sub" of this issuer');
  }
  return Object.freeze({ ...actor, iss, sub });
}

function isSubject(sub: unknown): sub is string {
  return typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT;
}

function isLike(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isFor(audiences: readonly string[], aud: unknown): boolean {
  const given: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return (
    given.length <= MAX_AUDIENCES &&
    given.every((audience) => typeof audience === 'string') &&
    given.some((audience) => audiences.includes(audience))
  );
}

/** @throws AuthException 40101 `expired`, or `malformed` for a token that is not valid yet, or for too long */
export function checkTimes(
  { maxAgeMinutes, clockSkewSeconds: skew }: IssuerSettings,
  { exp, nbf, iat }: TokenClaims,
): void {
  const now = Date.now() / 1000;
  const [end, begin, issued] = [exp, nbf ?? iat ?? now, iat ?? now] as [number, number, number];
  if (end <= now - skew) {
    throw invalidToken('expired');
  }
  if (Math.max(begin, issued) > now + skew) {
    throw refusal('The token is not valid yet');
  }
  const tolerated = iat === undefined ? skew : 0;
  if (end - issued > maxAgeMinutes * 60 + tolerated) {
    throw refusal('The token is valid for too long');
  }
}

function refusal(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.TOKEN_INVALID, { reason: 'malformed', message });
}
