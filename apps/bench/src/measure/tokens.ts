import { createHmac, createPrivateKey, createSecretKey, sign } from 'node:crypto';

/** Every application that reads JWTs has this secret. */
export const SECRET = 'the secret of the benchmark, 32 bytes or more';
export const TOKENS = 10_000;
export const ISSUER = 'https://bench.example';
/** The beginning of every Ed25519 key in PKCS #8; 32 bytes follow. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** The key of the applications that read JWTs signed with EdDSA. */
export const KEY_PAIR = {
  kid: '2026-11',
  alg: 'EdDSA',
  key: createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.alloc(32, 1)]),
    format: 'der',
    type: 'pkcs8',
  }),
} as const;

const KEY = createSecretKey(Buffer.from(SECRET));
const HEADER = base64url({ alg: 'HS256', typ: 'JWT' });
const KEY_PAIR_HEADER = base64url({ alg: KEY_PAIR.alg, typ: 'JWT', kid: KEY_PAIR.kid });
const LIFETIME_SECONDS = 12 * 60 * 60;

/** A token like those that kit-auth-jwt issues, for the user of a number. */
export function jwt(number: number, key = KEY): string {
  const input = `${HEADER}.${base64url(claimsOf(number))}`;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

/** The same, signed with EdDSA. */
export function eddsaJwt(number: number): string {
  const input = `${KEY_PAIR_HEADER}.${base64url({ ...claimsOf(number), iss: ISSUER })}`;
  return `${input}.${sign(null, Buffer.from(input), KEY_PAIR.key).toString('base64url')}`;
}

function claimsOf(number: number): object {
  const iat = Math.floor(Date.now() / 1000) - 60;
  const userId = 1 + (number % TOKENS);
  return {
    userId,
    username: `user-${userId}`,
    nickname: `User ${userId}`,
    superAdmin: false,
    roles: ['editor'],
    permissions: ['note:read', 'note:write'],
    iat,
    exp: iat + LIFETIME_SECONDS,
    sub: String(userId),
    jti: `jti-${number}`,
  };
}

/** Signed with another key. */
export function forgedJwt(number: number): string {
  return jwt(number, createSecretKey(Buffer.alloc(32, 1)));
}

export const bearer = (token: string): string => `Authorization: Bearer ${token}`;

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
