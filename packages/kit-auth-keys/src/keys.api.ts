import { AuthErrorCode } from 'kit-auth';
import {
  described,
  endpoints,
  list,
  NAME,
  object,
  optional,
  orNull,
  parsed,
  type ServerOf,
  TEXT,
  TIME,
  value,
} from 'kit-auth/feature';
import { OWN_CHANGES } from 'kit-auth/login';
import { readAbilities } from './keys/abilities.js';

const PERMISSIONS = described(list(TEXT, { minItems: 1, maxItems: 50 }), 'Permissions');
const ABILITIES = parsed<string[], readonly string[]>(
  PERMISSIONS.json,
  'be a list of 1 to 50 permissions, such as "note:read" or "note:*"',
  readAbilities,
);
/** The bounds are options, so the handler checks them. */
const DAYS = value<unknown, number | null>({
  type: 'integer',
  minimum: 1,
  nullable: true,
  description: 'Null for a key that never ends, where the application allows that',
});

const NEW_KEY = {
  id: TEXT,
  name: NAME,
  abilities: PERMISSIONS,
  createdAt: TIME,
  /** Null for a key that never ends. */
  expiresAt: orNull(TIME),
};
const KEY_INFO = {
  ...NEW_KEY,
  /** May be five minutes behind. Null for a key that was never used. */
  lastUsedAt: orNull(TIME),
  lastAddress: orNull(TEXT),
};

/** The part of a key that its owner and administrators may see. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KeyInfo extends ServerOf<typeof KEY_INFO> {}
export const KEY = object(KEY_INFO);

export const keysApi = endpoints({
  'POST keys': {
    id: 'kitAuthCreateKey',
    summary: 'Creates an API key. No other answer contains the key',
    fresh: [{ factors: 'second' }, OWN_CHANGES],
    body: { name: NAME, abilities: ABILITIES, days: optional(DAYS) },
    answer: object({ ...NEW_KEY, key: TEXT }),
    errors: [AuthErrorCode.FORBIDDEN, AuthErrorCode.CONFLICT],
  },
});
