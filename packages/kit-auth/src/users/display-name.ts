import { badRequest } from '../errors/auth.exception.js';

const MAX_DEVICE_NAME = 64;
const MAX_NICKNAME = 255;

/**
 * Whether a string can be a display name: no control characters, no spaces at either end, and at least one visible
 * character.
 */
export function isDisplayName(text: unknown, maxLength: number): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    text.length <= maxLength &&
    text === text.trim() &&
    text.isWellFormed() &&
    // Other format characters are allowed: some scripts and emoji need joiners.
    !/[\p{Cc}\p{Cn}\p{Co}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text) &&
    /[^\p{C}\p{Z}\p{M}]/u.test(text)
  );
}

/**
 * The name of a device in a body, without spaces at either end. At most 64 characters.
 *
 * @throws AuthException 40000 for anything that cannot be a display name
 */
export function deviceNameFrom(value: unknown): string {
  const name = typeof value === 'string' ? value.trim() : undefined;
  if (!isDisplayName(name, MAX_DEVICE_NAME)) {
    throw badRequest(`"name" must be a name of at most ${MAX_DEVICE_NAME} characters, such as "My phone"`);
  }
  return name;
}

/**
 * The name in a body that people see, without spaces at either end. At most 255 characters.
 *
 * @returns undefined for a body without it
 * @throws AuthException 40000 for anything that cannot be a display name
 */
export function nicknameFrom(value: unknown): string | undefined {
  const nickname = typeof value === 'string' ? value.trim() : value;
  if (nickname !== undefined && !isDisplayName(nickname, MAX_NICKNAME)) {
    throw badRequest(`"nickname" must have 1 to ${MAX_NICKNAME} characters, without control characters`);
  }
  return nickname;
}
