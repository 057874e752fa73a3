import { createHash, randomBytes } from 'node:crypto';
import type { UserId } from 'kit-auth';
import type { Session } from 'kit-auth-session';

export const NOW = Date.now();
export const LIFETIME = 60 * 60_000;

/** The prefix of session ids, as in `kit-auth-session`. */
export function ownerOf(userId: UserId | string): string {
  return typeof userId === 'string'
    ? createHash('sha256').update(userId).digest('base64url').slice(0, 16)
    : userId.toString(36);
}

/** A live session. */
export function sessionOf(userId: UserId, more: Partial<Session> = {}): Session {
  const hash = createHash('sha256').update(randomBytes(32)).digest('base64url');
  return {
    id: `${ownerOf(userId)}.${hash}`,
    userId,
    createdAt: NOW,
    lastSeenAt: NOW,
    expiresAt: NOW + LIFETIME,
    address: '2001:db8::1',
    userAgent: 'suite/1.0 (test)',
    ...more,
  };
}
