import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { generateSync, verifySync } from '@otplib/totp';
import { readTypedCode } from 'kit-auth/login';

const STEP_SECONDS = 30;
/** 160 bits, as RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
const CODE = /^\d{6}$/;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The cryptography that `@otplib/totp` calls. */
const crypto = {
  name: 'node',
  hmac: (algorithm: string, key: Uint8Array, data: Uint8Array): Uint8Array =>
    createHmac(algorithm, key).update(data).digest(),
  randomBytes: (length: number): Uint8Array => randomBytes(length),
  constantTimeEqual: (a: string | Uint8Array, b: string | Uint8Array): boolean => {
    const [one, two] = [Buffer.from(a as string), Buffer.from(b as string)];
    return one.length === two.length && timingSafeEqual(one, two);
  },
};

export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** The number of the time step (RFC 6238) that contains a time in milliseconds since 1970. */
export function stepAt(time: number): number {
  return Math.floor(time / 1000 / STEP_SECONDS);
}

/** The code of a time step. */
export function codeOf(secret: Buffer, step: number): string {
  return generateSync({ secret, epoch: step * STEP_SECONDS, crypto });
}

/**
 * Finds the time step that a code belongs to.
 *
 * @param text as typed: apps show a code in groups, and some copy it that way
 * @param window how many steps the code may be too early or too late
 * @param now milliseconds since 1970
 * @returns undefined for a wrong code, and for a string that is not a code
 */
export function matchedStep(secret: Buffer, text: string, window: number, now: number): number | undefined {
  const code = readTypedCode(text);
  if (!CODE.test(code)) {
    return undefined;
  }
  const epoch = Math.floor(now / 1000);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: window * STEP_SECONDS, crypto });
  return result.valid ? result.timeStep : undefined;
}

/** RFC 4648, without padding. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}

/**
 * The URI that authenticator apps scan as a QR code. They show its label, and split it at a colon, even at an encoded one.
 * So colons of the username become full-width ones.
 *
 * @param issuer without a colon
 */
export function uriOf(secret: Buffer, issuer: string, username: string): string {
  const [by, name] = [issuer, username.replaceAll(':', '：')].map(encodeURIComponent);
  return `otpauth://totp/${by}:${name}?secret=${base32(secret)}&issuer=${by}&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`;
}
