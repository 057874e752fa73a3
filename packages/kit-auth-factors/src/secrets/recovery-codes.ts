import { hash, randomBytes } from 'node:crypto';
import { readTypedCode } from 'kit-auth/login';

const CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 6;
const LENGTH = GROUPS * GROUP_LENGTH;
/** Crockford's base 32: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const FORM = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** Letters that are read as the digits they look like. */
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' };

/** New recovery codes of 120 random bits each, such as `7Q2M4K-...`, to be shown once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    // 256 is a multiple of 32, so all characters are equally likely.
    const characters = [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
    return Array.from({ length: GROUPS }, (_, i) =>
      characters.slice(i * GROUP_LENGTH, (i + 1) * GROUP_LENGTH).join(''),
    ).join('-');
  });
}

/**
 * The id of a recovery code in the table: a hash of the code and its user. A fast hash is enough for 120 random bits
 * (OWASP ASVS 6.5.2). Case, spaces and hyphens are ignored, and look-alikes are read as digits.
 *
 * @param userId as a string
 * @returns undefined for a string that is not a code
 */
export function recoveryIdOf(userId: string, text: string): string | undefined {
  const code = readTypedCode(text).replace(/[ILO]/g, (letter) => LOOK_ALIKES[letter] as string);
  return FORM.test(code) ? hash('sha256', JSON.stringify([userId, code]), 'hex') : undefined;
}
