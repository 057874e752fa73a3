import { AuthErrorCode } from 'kit-auth';
import {
  describeOperations,
  type DescribeOptions,
  listOf,
  objectOf,
  type OpenApiDocument,
  type Operation,
  type Schema,
  TEXT,
  TIME,
} from 'kit-auth/openapi';

const { BAD_REQUEST, CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED } = AuthErrorCode;
const { NOT_FOUND, PASSWORD_CHANGE_REQUIRED } = AuthErrorCode;

const NAME: Schema = { type: 'string', minLength: 1, maxLength: 64 };
const ABILITIES: Schema = { ...listOf(TEXT), minItems: 1, maxItems: 50, description: 'Permissions' };
const DAYS: Schema = {
  type: 'integer',
  minimum: 1,
  nullable: true,
  description: 'Null for a key that never ends, where the application allows that',
};
const NEW_KEY = { id: TEXT, name: NAME, abilities: ABILITIES, createdAt: TIME, expiresAt: orNull(TIME) };
const KEY = { ...NEW_KEY, lastUsedAt: orNull(TIME), lastAddress: orNull(TEXT) };

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST keys': {
    operationId: 'kitAuthCreateKey',
    summary: 'Creates an API key. No other answer contains the key',
    body: objectOf({ name: NAME, abilities: ABILITIES, days: DAYS }, ['days']),
    status: 201,
    answer: objectOf({ ...NEW_KEY, key: TEXT }),
    errors: [BAD_REQUEST, FRESH_LOGIN_REQUIRED, FORBIDDEN, PASSWORD_CHANGE_REQUIRED, CONFLICT],
  },
  'GET keys': {
    operationId: 'kitAuthListKeys',
    summary: "Lists the current user's API keys",
    status: 200,
    answer: listOf(objectOf(KEY)),
    errors: [PASSWORD_CHANGE_REQUIRED],
  },
  'DELETE keys/{id}': {
    operationId: 'kitAuthEndKey',
    summary: 'Ends an API key of the current user',
    status: 204,
    errors: [PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
  'GET users/{id}/keys': {
    operationId: 'kitAuthListUserKeys',
    summary: "Lists a user's API keys (auth:session:read)",
    status: 200,
    answer: listOf(objectOf(KEY)),
    errors: [FORBIDDEN, PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
  'DELETE users/{id}/keys': {
    operationId: 'kitAuthEndUserKeys',
    summary: 'Ends all API keys of a user (auth:session:end)',
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
  'DELETE users/{id}/keys/{keyId}': {
    operationId: 'kitAuthEndUserKey',
    summary: 'Ends an API key of a user (auth:session:end)',
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
};

/**
 * Describes the endpoints of `kit-auth-keys` in an OpenAPI document: bodies, answers and error codes. `documentAccess()`
 * adds which routes a key may call, where the document has a security scheme with the name `api-key`.
 *
 * @example
 * ```ts
 * const config = new DocumentBuilder().addBearerAuth().addBearerAuth({ type: 'http' }, 'api-key').build();
 * const document = documentKitAuthKeys(documentKitAuth(SwaggerModule.createDocument(app, config)));
 * documentAccess(document, app.get(RouteAccessReport).routes());
 * ```
 *
 * @returns the same document
 */
export function documentKitAuthKeys<T extends OpenApiDocument>(
  document: T,
  options: DescribeOptions = {},
): T {
  return describeOperations(document, OPERATIONS, options);
}

function orNull(schema: Schema): Schema {
  return { ...schema, nullable: true };
}
