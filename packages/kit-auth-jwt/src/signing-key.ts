import { createSecretKey, type KeyObject } from 'node:crypto';
import type { KitAuthSettings } from 'kit-auth';

/** The default key, without `kit.auth.jwt.secret`. It is public, so anyone can sign tokens with it. */
const PLACEHOLDER_SECRET = 'kit-auth-placeholder-secret--override-kit.auth.jwt.secret';

/** RFC 7518 section 3.2: the key is at least as long as the hash. */
export const MIN_SECRET_BYTES = 32;

export const SIGNING_KEY = Symbol.for('kit-auth-jwt.signing-key');

/** A key object, because jsonwebtoken would try to parse a string as a PEM key on every call. */
export function signingKey(settings: KitAuthSettings): KeyObject {
  return createSecretKey(Buffer.from(secretOf(settings)));
}

/** The length of the key in bytes. */
export function secretBytes(settings: KitAuthSettings): number {
  return Buffer.byteLength(secretOf(settings));
}

export function isPlaceholder(settings: KitAuthSettings): boolean {
  return secretOf(settings) === PLACEHOLDER_SECRET;
}

function secretOf({ jwt }: KitAuthSettings): string {
  return jwt.secret ?? PLACEHOLDER_SECRET;
}
