import type { LoginProof, LoginUser } from 'kit-auth';
import { isFactors, isTextId } from 'kit-auth/login';
import { isObject } from 'kit-auth/tools';

const LOGIN_ID = /^[\w.-]{1,64}$/;

/** The claims of a token. Times are seconds since 1970 (RFC 7519 section 2, NumericDate). */
export interface Claims extends LoginUser, ProofClaims {
  sub: string;
  /** See `Addressing`, which checks both. */
  iss?: unknown;
  aud?: unknown;
  iat: number;
  exp: number;
  nbf?: number;
  jti: string;
  /** The user's security stamp, if `kit.auth.jwt.checkStamp` is on. */
  stamp?: string;
}

/** The proof of the login. Tokens of earlier versions lack these claims. */
interface ProofClaims {
  /** `LoginProof.loginId`. */
  sid?: string;
  /** `LoginProof.factors`. Absent if there are none. */
  factors?: LoginProof['factors'];
  /** `LoginProof.actor`: the acting user (RFC 8693 section 4.1). Tokens of earlier versions have no `sub`. */
  act?: NonNullable<LoginProof['actor']> & { readonly sub?: string };
  /** `LoginProof.expiresAt`: the end of the login. `exp` is not after it. */
  until?: number;
}

type Check = (value: unknown) => boolean;

const CHECKS: Readonly<Record<keyof Claims, Check>> = {
  sub: isString,
  iss: isPlain,
  aud: () => true,
  userId: isUserId,
  username: isString,
  nickname: isString,
  superAdmin: (value) => typeof value === 'boolean',
  roles: areStrings,
  permissions: areStrings,
  mustChangePassword: (value) => value === true,
  data: isObject,
  stamp: isString,
  iat: isWholeNumber,
  exp: isWholeNumber,
  nbf: isWholeNumber,
  jti: (value) => isString(value) && value !== '',
  sid: (value) => isString(value) && LOGIN_ID.test(value),
  factors: isFactors,
  act: isActor,
  until: isWholeNumber,
};
const CHECK_OF: ReadonlyMap<string, Check> = new Map(Object.entries(CHECKS));
/** The other claims are optional. */
const REQUIRED = [
  'sub',
  'userId',
  'username',
  'nickname',
  'superAdmin',
  'roles',
  'permissions',
  'iat',
  'exp',
  'jti',
];

/**
 * Returns the claims, or undefined if one has another type.
 *
 * Other claims are ignored if they are plain values (RFC 7519 section 4), except for names that every object inherits.
 */
export function readClaims(payload: unknown): Claims | undefined {
  if (!isObject(payload)) {
    return undefined;
  }
  for (const name of Object.keys(payload)) {
    const check = CHECK_OF.get(name);
    if (check === undefined ? !mayBeIgnored(name, payload[name]) : !check(payload[name])) {
      return undefined;
    }
  }
  if (!REQUIRED.every((name) => Object.hasOwn(payload, name))) {
    return undefined;
  }
  const claims = payload as unknown as Claims;
  const isConsistent =
    claims.sub === String(claims.userId) && (claims.until === undefined || claims.exp <= claims.until);
  return isConsistent ? claims : undefined;
}

/** The claims of a proof. @returns undefined if it does not fit into a token */
export function proofClaimsOf({ loginId, factors, actor, expiresAt }: LoginProof): ProofClaims | undefined {
  const claims: ProofClaims = {
    ...(loginId !== undefined && { sid: loginId }),
    ...(Object.keys(factors).length > 0 && { factors }),
    ...(actor !== undefined && { act: actOf(actor) }),
    ...(expiresAt !== undefined && { until: expiresAt }),
  };
  return Object.entries(claims).every(([name, value]) => CHECK_OF.get(name)?.(value)) ? claims : undefined;
}

function actOf({ userId, username }: NonNullable<LoginProof['actor']>): NonNullable<ProofClaims['act']> {
  return { sub: String(userId), userId, username };
}

function isActor(value: unknown): boolean {
  if (!isObject(value)) {
    return false;
  }
  const { userId, username, sub = String(userId), ...others } = value;
  return isUserId(userId) && isString(username) && sub === String(userId) && Object.keys(others).length === 0;
}

function isUserId(value: unknown): boolean {
  return isString(value) ? isTextId(value) : isWholeNumber(value) && value > 0;
}

function mayBeIgnored(name: string, value: unknown): boolean {
  return !(name in Object.prototype) && isPlain(value);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object';
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function areStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString);
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
