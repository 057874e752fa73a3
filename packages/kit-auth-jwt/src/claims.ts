import type { LoginUser } from 'kit-auth';

/** The claims of a token. Times are seconds since 1970 (RFC 7519 section 2, NumericDate). */
export interface Claims extends LoginUser {
  sub: string;
  iat: number;
  exp: number;
  nbf?: number;
  jti: string;
  /** The user's security stamp, where `kit.auth.jwt.checkStamp` is on. */
  stamp?: string;
}

const IS_OF_ITS_TYPE: { readonly [K in keyof Claims]-?: (value: unknown) => boolean } = {
  sub: isText,
  userId: (value) => isWholeNumber(value) && value > 0,
  username: isText,
  nickname: isText,
  superAdmin: (value) => typeof value === 'boolean',
  roles: isTextList,
  permissions: isTextList,
  mustChangePassword: (value) => value === undefined || value === true,
  stamp: (value) => value === undefined || isText(value),
  iat: isWholeNumber,
  exp: isWholeNumber,
  nbf: (value) => value === undefined || isWholeNumber(value),
  jti: (value) => isText(value) && value !== '',
};

/**
 * The claims, each of its type, or undefined. A claim beyond ours is ignored (RFC 7519 section 4) when it is a
 * plain value; `aud` is not, because a token for somebody must name us and none of ours names anybody (section
 * 4.1.3), and nothing nested or named like a part of every object is.
 */
export function readClaims(payload: unknown): Claims | undefined {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    return undefined;
  }
  const claims = payload as Record<string, unknown>;
  for (const name of Object.keys(IS_OF_ITS_TYPE) as (keyof Claims)[]) {
    if (!IS_OF_ITS_TYPE[name](claims[name])) {
      return undefined;
    }
  }
  for (const name of Object.keys(claims)) {
    if (!Object.hasOwn(IS_OF_ITS_TYPE, name) && !mayBeIgnored(name, claims[name])) {
      return undefined;
    }
  }
  return claims['sub'] === String(claims['userId']) ? (payload as Claims) : undefined;
}

function mayBeIgnored(name: string, value: unknown): boolean {
  return name !== 'aud' && !(name in Object.prototype) && typeof value !== 'object';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
