import { createSecretKey, type KeyObject } from 'node:crypto';
import type { KitAuthSettings } from 'kit-auth';

/** Stands in for `kit.auth.jwt.secret` where there is none. It is public: tokens signed with it prove nothing. */
const PLACEHOLDER_SECRET = 'kit-auth-placeholder-secret--override-kit.auth.jwt.secret';

/** RFC 7518 section 3.2: a key at least as long as the hash. */
export const MIN_SECRET_BYTES = 32;

export const SIGNING_KEY = Symbol('the key of kit.auth.jwt.secret');

/** Made once: given a string, jsonwebtoken tries to read it as a PEM key on every call. */
export function signingKey(settings: KitAuthSettings): KeyObject {
  return createSecretKey(Buffer.from(secretOf(settings)));
}

/** How long the key is, in bytes. */
export function secretBytes(settings: KitAuthSettings): number {
  return Buffer.byteLength(secretOf(settings));
}

export function isPlaceholder(settings: KitAuthSettings): boolean {
  return secretOf(settings) === PLACEHOLDER_SECRET;
}

function secretOf({ jwt }: KitAuthSettings): string {
  return jwt.secret ?? PLACEHOLDER_SECRET;
}
