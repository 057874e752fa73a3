import { randomInt } from 'node:crypto';

const LENGTH = 8;
/** No vowels, so that no words come about, and no digits, which look like letters. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const FORM = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** A new code for a mail, such as `BKTWRJHX`: 34 random bits. */
export function newCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Spaces and dashes of all scripts, and characters that are not seen. */
const IGNORED = /[\p{Zs}\p{Pd}\u200b-\u200f\u2060\ufeff]/gu;
const WIDE = 0xff00 - 0x20;

/**
 * Reads a code that somebody has typed or pasted. Case, width, spaces and dashes are ignored.
 *
 * @returns undefined for a string that is not a code
 */
export function readCode(text: string): string | undefined {
  const code = text
    .replace(IGNORED, '')
    .replace(/[\uff21-\uff3a\uff41-\uff5a]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - WIDE))
    .replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return FORM.test(code) ? code : undefined;
}
