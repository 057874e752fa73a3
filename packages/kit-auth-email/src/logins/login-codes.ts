import { randomInt } from 'node:crypto';
import { readTypedCode } from 'kit-auth/login';

const LENGTH = 8;
/** Without vowels, codes are never words. Digits look like letters. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const FORM = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** A new code for a mail, such as `BKTWRJHX`: 34 random bits. */
export function newCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/**
 * Reads a typed code. Case, width, spaces and dashes are ignored.
 *
 * @returns undefined for a string that is not a code
 */
export function readCode(text: string): string | undefined {
  const code = readTypedCode(text);
  return FORM.test(code) ? code : undefined;
}
