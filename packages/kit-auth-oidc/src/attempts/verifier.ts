import { hash, timingSafeEqual } from 'node:crypto';

/** Whether a challenge is the hash of a verifier (RFC 7636, S256). */
export function isVerifierOf(verifier: string | undefined, challenge: string): boolean {
  const found = Buffer.from(hash('sha256', verifier ?? '', 'base64url'));
  const expected = Buffer.from(challenge);
  return verifier !== undefined && found.length === expected.length && timingSafeEqual(found, expected);
}
