import { createHmac, createSecretKey } from 'node:crypto';

/** Every application that reads JWTs has this secret. */
export const SECRET = 'the secret of the benchmark, 32 bytes or more';
export const TOKENS = 10_000;

const KEY = createSecretKey(Buffer.from(SECRET));
const HEADER = base64url({ alg: 'HS256', typ: 'JWT' });
const LIFETIME_SECONDS = 12 * 60 * 60;

/** A token like those that kit-auth-jwt issues, for the user of a number. */
export function jwt(number: number, key = KEY): string {
  const iat = Math.floor(Date.now() / 1000) - 60;
  const userId = 1 + (number % TOKENS);
  const claims = base64url({
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
  });
  const signature = createHmac('sha256', key).update(`${HEADER}.${claims}`).digest('base64url');
  return `${HEADER}.${claims}.${signature}`;
}

/** Signed with another key. */
export function forgedJwt(number: number): string {
  return jwt(number, createSecretKey(Buffer.alloc(32, 1)));
}

export const bearer = (token: string): string => `Authorization: Bearer ${token}`;

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
