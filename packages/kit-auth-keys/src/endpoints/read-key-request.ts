import { badRequest, isDisplayName, type JsonRequest, readJsonObject } from 'kit-auth/extend';
import type { KeysSettings } from '../config/keys.options.js';
import { readAbilities } from '../keys/abilities.js';
import type { KeyRequest } from '../keys/api-keys.js';

const MAX_NAME_LENGTH = 64;
/** The limit if keys may also be unlimited: a hundred years. */
const MAX_DAYS = 36_500;

/** The body of `POST keys`. @throws AuthException 40000 that says what is wrong */
export function readKeyRequest(
  request: JsonRequest,
  { defaultDays, maxDays }: Pick<KeysSettings, 'defaultDays' | 'maxDays'>,
): KeyRequest {
  const body = readJsonObject(request);
  const { name, days = defaultDays } = body;
  if (!isDisplayName(name, MAX_NAME_LENGTH)) {
    throw badRequest(
      `"name" must have 1 to ${MAX_NAME_LENGTH} characters, without control characters, and without spaces at its ` +
        'beginning and end',
    );
  }
  const abilities = readAbilities(body['abilities']);
  if (abilities === undefined) {
    throw badRequest('"abilities" must be a list of 1 to 50 permissions, such as "note:read" or "note:*"');
  }
  const isUnlimited = maxDays === 'unlimited';
  if (!(isDays(days, isUnlimited ? MAX_DAYS : maxDays) || (isUnlimited && days === null))) {
    throw badRequest(
      `"days" must be a whole number from 1 to ${isUnlimited ? `${MAX_DAYS}, or null` : maxDays}`,
    );
  }
  return { name, abilities, days };
}

function isDays(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
}
