import { isPermission } from 'kit-auth';
import { badRequest, isDisplayName, type Schema, value } from 'kit-auth/feature';
import { AuthUserStatus, isRoleCode } from 'kit-auth/typeorm';

const MAX_ITEMS = 100;
const MAX_PASSWORD_LENGTH = 1024;

/** @param must completes the message of the refusal */
function checked<T, Wire = T>(
  json: Schema['json'],
  must: string,
  isValid: (given: unknown) => boolean,
): Schema<T, Wire> {
  return value<T, Wire>(json, (given, name) => {
    if (!isValid(given)) {
      throw badRequest(`${name} must ${must}`);
    }
    return given as T;
  });
}

/** A list of different strings. @param what the name of the items in the refusal */
function textsOf(what: string, isItem: (text: string) => boolean): Schema<string[], readonly string[]> {
  return checked(
    { type: 'array', items: { type: 'string' } },
    `be a list of at most ${MAX_ITEMS} different ${what}`,
    (given) =>
      Array.isArray(given) &&
      given.length <= MAX_ITEMS &&
      new Set(given).size === given.length &&
      given.every((item) => typeof item === 'string' && isItem(item)),
  );
}

const TEXT_JSON = { type: 'string' };
export const DISPLAY_NAME = checked<string>(
  TEXT_JSON,
  'have 1 to 255 characters, without control characters, and without spaces at its beginning and end',
  (given) => isDisplayName(given, 255),
);
/** The password policy decides what is allowed. */
export const NEW_PASSWORD = checked<string>(
  { ...TEXT_JSON, format: 'password' },
  `be a string of 1 to ${MAX_PASSWORD_LENGTH} characters`,
  (given) => typeof given === 'string' && given !== '' && given.length <= MAX_PASSWORD_LENGTH,
);
const STATUSES: readonly unknown[] = Object.values(AuthUserStatus);
export const STATUS = checked<AuthUserStatus, `${AuthUserStatus}`>(
  { ...TEXT_JSON, enum: STATUSES },
  'be ENABLED or DISABLED',
  (given) => STATUSES.includes(given),
);
export const ROLE_CODE = checked<string>(
  TEXT_JSON,
  'be 1 to 64 letters, digits, ".", "_" or "-"',
  (given) => typeof given === 'string' && isRoleCode(given),
);
export const ROLE_CODES = textsOf('role codes', isRoleCode);
export const PERMISSIONS = textsOf('permissions such as "note:read" or "note:*"', isPermission);
