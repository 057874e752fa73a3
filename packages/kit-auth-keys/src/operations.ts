import { AuthErrorCode } from 'kit-auth';
import {
  type AuthOperations,
  listOf,
  NAME,
  objectOf,
  orNull,
  type Schema,
  TEXT,
  TIME,
} from 'kit-auth/extend';

const { CONFLICT, FORBIDDEN } = AuthErrorCode;

const ABILITIES: Schema = { ...listOf(TEXT), minItems: 1, maxItems: 50, description: 'Permissions' };
const DAYS: Schema = {
  type: 'integer',
  minimum: 1,
  nullable: true,
  description: 'Null for a key that never ends, where the application allows that',
};
const NEW_KEY = { id: TEXT, name: NAME, abilities: ABILITIES, createdAt: TIME, expiresAt: orNull(TIME) };
const KEY = { ...NEW_KEY, lastUsedAt: orNull(TIME), lastAddress: orNull(TEXT) };

/** The endpoints of this package, for OpenAPI documents. */
export const keyOperations: AuthOperations = () => ({
  operations: {
    'POST keys': {
      operationId: 'kitAuthCreateKey',
      summary: 'Creates an API key. No other answer contains the key',
      body: objectOf({ name: NAME, abilities: ABILITIES, days: DAYS }, ['days']),
      answer: objectOf({ ...NEW_KEY, key: TEXT }),
      errors: [FORBIDDEN, CONFLICT],
    },
    'GET keys': {
      operationId: 'kitAuthListKeys',
      summary: "Lists the current user's API keys",
      answer: listOf(objectOf(KEY)),
    },
    'DELETE keys/{id}': {
      operationId: 'kitAuthEndKey',
      summary: 'Ends an API key of the current user',
    },
    'GET users/{id}/keys': {
      operationId: 'kitAuthListUserKeys',
      summary: "Lists a user's API keys",
      answer: listOf(objectOf(KEY)),
    },
    'DELETE users/{id}/keys': {
      operationId: 'kitAuthEndUserKeys',
      summary: 'Ends all API keys of a user',
    },
    'DELETE users/{id}/keys/{keyId}': {
      operationId: 'kitAuthEndUserKey',
      summary: 'Ends an API key of a user',
    },
  },
});
