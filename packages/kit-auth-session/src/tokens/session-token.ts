import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `kats_`, the user's id in base 36, 256 random bits in base64url, a CRC-32 of all that in base 36. */
const FORM = /^(kats_([1-9a-z][0-9a-z]{0,10})_[\w-]{42}[AEIMQUYcgkosw048])_([0-9a-z]{7})$/;

/** What the column of ids holds on every database. */
export const MAX_USER_ID = 2 ** 31 - 1;

/** What a token names: where its session is kept, and whose it is. */
export interface TokenReference {
  /**
   * The user's id and the token's SHA-256: it finds a session without giving it away. The user's id is in it so
   * that a clustered store knows where to look.
   */
  id: string;
  userId: number;
}

/** The prefix and the checksum let secret scanners find leaked tokens, and refuse noise without a look-up. */
export function newToken(userId: number): TokenReference & { token: string } {
  const text = `kats_${userId.toString(36)}_${randomBytes(32).toString('base64url')}`;
  const token = `${text}_${checksum(text)}`;
  return { token, userId, id: idOf(userId, token) };
}

/** @returns undefined for anything that `newToken` cannot have made */
export function readToken(token: string): TokenReference | undefined {
  const [, text, userIdInBase36, check] = FORM.exec(token) ?? [];
  if (text === undefined || userIdInBase36 === undefined || checksum(text) !== check) {
    return undefined;
  }
  const userId = Number.parseInt(userIdInBase36, 36);
  return isUserId(userId) ? { userId, id: idOf(userId, token) } : undefined;
}

/** The user's id in a session's id, or undefined for a text that is no session's id. */
export function userIdOf(sessionId: string): number | undefined {
  const [, userIdInBase36] = /^([1-9a-z][0-9a-z]{0,10})\.(?:[\w-]{43}|[\w-]{22})$/.exec(sessionId) ?? [];
  const userId = Number.parseInt(userIdInBase36 ?? '', 36);
  return isUserId(userId) ? userId : undefined;
}

/** Whether a user may have this id. Some databases fail on a higher one, others find nothing. */
export function isUserId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= MAX_USER_ID;
}

function idOf(userId: number, token: string): string {
  return `${userId.toString(36)}.${hash('sha256', token, 'base64url')}`;
}

function checksum(text: string): string {
  return crc32(text).toString(36).padStart(7, '0');
}
