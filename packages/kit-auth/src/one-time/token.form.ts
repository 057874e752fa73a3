import { hash, randomBytes } from 'node:crypto';
import { hasChecksum, withChecksum } from '../tokens/checksum.js';

const SECRET_BYTES = 32;
/** `kato_`, 256 bits in base64url, a CRC-32 of all that in base 36. */
const FORM = /^(kato_[\w-]{42}[AEIMQUYcgkosw048])_([0-9a-z]{7})$/;

export function newToken(): { token: string; id: string } {
  const token = withChecksum(`kato_${randomBytes(SECRET_BYTES).toString('base64url')}`);
  return { token, id: hash('sha256', token, 'hex') };
}

/** Whether a text has the form of the ids in the table. Some databases refuse to compare other texts. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The id of a token in the table. @returns undefined for a malformed token, and for what is no text */
export function idOf(token: unknown): string | undefined {
  const [text, body, check] = (typeof token === 'string' && FORM.exec(token)) || [];
  return text !== undefined && body !== undefined && hasChecksum(body, check)
    ? hash('sha256', text, 'hex')
    : undefined;
}
