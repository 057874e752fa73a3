import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `kats_`, the user's id in base 36, 256 random bits in base64url, a CRC-32 of all that in base 36. */
const FORM = /^(kats_([1-9a-z][0-9a-z]{0,10})_[\w-]{42}[AEIMQUYcgkosw048])_([0-9a-z]{7})$/;

/** The maximum of an id column on every database. */
export const MAX_USER_ID = 2 ** 31 - 1;

/** The session and the user that a token names. */
export interface TokenReference {
  /**
   * The user's id and the SHA-256 of the token: it identifies the session but cannot authenticate. It begins with the
   * user's id so that a clustered store can find the node.
   */
  id: string;
  userId: number;
}

/** Secret scanners find leaked tokens by the prefix and the checksum. Malformed tokens need no look-up. */
export function newToken(userId: number): TokenReference & { token: string } {
  const text = `kats_${userId.toString(36)}_${randomBytes(32).toString('base64url')}`;
  const token = `${text}_${checksum(text)}`;
  return { token, userId, id: idOf(userId, token) };
}

/** @returns undefined for malformed tokens */
export function readToken(token: string): TokenReference | undefined {
  const [, text, userIdInBase36, check] = FORM.exec(token) ?? [];
  if (text === undefined || userIdInBase36 === undefined || checksum(text) !== check) {
    return undefined;
  }
  const userId = Number.parseInt(userIdInBase36, 36);
  return isUserId(userId) ? { userId, id: idOf(userId, token) } : undefined;
}

/** The user's id from the id of a session. Undefined for malformed ids. */
export function userIdOf(sessionId: string): number | undefined {
  const [, userIdInBase36] = /^([1-9a-z][0-9a-z]{0,10})\.(?:[\w-]{43}|[\w-]{22})$/.exec(sessionId) ?? [];
  const userId = Number.parseInt(userIdInBase36 ?? '', 36);
  return isUserId(userId) ? userId : undefined;
}

/** Whether this is a valid id of a user. Some databases fail on higher ids, others find nothing. */
export function isUserId(id: number): boolean {
  return Number.isInteger(id) && id >= 1 && id <= MAX_USER_ID;
}

function idOf(userId: number, token: string): string {
  return `${userId.toString(36)}.${hash('sha256', token, 'base64url')}`;
}

function checksum(text: string): string {
  return crc32(text).toString(36).padStart(7, '0');
}
