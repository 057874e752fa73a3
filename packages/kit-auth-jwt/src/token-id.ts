import { createHash, randomBytes } from 'node:crypto';

const RANDOM_BYTES = 8;

/**
 * Creates the id of a token (`jti`), in the form of a random UUID. Half of it is random, the other half is a digest of
 * that and the user's security stamp. So it shows whether a token was issued for a stamp, without revealing the stamp.
 */
export function newTokenId(stamp: string): string {
  return idOf(randomBytes(RANDOM_BYTES), stamp);
}

/** Whether an id was created for a security stamp. */
export function isBoundTo(id: string, stamp: string): boolean {
  const random = Buffer.from(id.replaceAll('-', ''), 'hex').subarray(0, RANDOM_BYTES);
  return random.length === RANDOM_BYTES && id === idOf(random, stamp);
}

function idOf(random: Buffer, stamp: string): string {
  // The bits of version 4 and its variant (RFC 9562 section 5.4).
  random.writeUInt8((random.readUInt8(6) & 0x0f) | 0x40, 6);
  const digest = createHash('sha256').update(random).update(stamp).digest();
  digest.writeUInt8((digest.readUInt8(0) & 0x3f) | 0x80, 0);
  const hex = random.toString('hex') + digest.toString('hex', 0, 8);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
