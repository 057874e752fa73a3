import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { hasChecksum, withChecksum } from 'kit-auth/tools';

export const KEY_PREFIX = 'kapk_';
const ID_DIGITS = 13;

/** The prefix, the id, 256 random bits in base64url, and a CRC-32 of all that in base 36. */
const FORM = /^(kapk_([0-9a-z]{13})_[\w-]{42}[AEIMQUYcgkosw048])_([0-9a-z]{7})$/;
const ID = /^[0-9a-z]{13}$/;

export function newKey(): { id: string; key: string } {
  const id = Array.from({ length: ID_DIGITS }, () => randomInt(36).toString(36)).join('');
  return { id, key: withChecksum(`${KEY_PREFIX}${id}_${randomBytes(32).toString('base64url')}`) };
}

/** The id of the key in a token. @returns undefined for a string of another form, or with a wrong checksum */
export function idOfKey(text: string): string | undefined {
  const [, body, id, checksum] = FORM.exec(text) ?? [];
  return body !== undefined && hasChecksum(body, checksum) ? id : undefined;
}

export function isKeyId(text: string): boolean {
  return ID.test(text);
}

/** Hashes a key. It has 256 random bits, so a fast hash is enough (OWASP ASVS 11.4). */
export function hashOfKey(key: string): string {
  return hash('sha256', key);
}

/** Compares two hashes in constant time. */
export function isHash(stored: string, actual: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(actual)];
  return a.length === b.length && timingSafeEqual(a, b);
}
