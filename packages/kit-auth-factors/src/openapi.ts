import { AuthErrorCode } from 'kit-auth';
import {
  BOOLEAN,
  describeOperations,
  type DocumentOptions,
  extendOperations,
  type Extension,
  INTEGER,
  listOf,
  objectOf,
  type OpenApiDocument,
  type Operation,
  type Schema,
  TEXT,
  TIME,
  userSummary,
} from 'kit-auth/openapi';

const { BAD_REQUEST, CONFLICT, FACTOR_FAILED, FORBIDDEN, FRESH_LOGIN_REQUIRED } = AuthErrorCode;
const { NOT_FOUND, NOT_IMPLEMENTED, PASSWORD_CHANGE_REQUIRED } = AuthErrorCode;
const { SECOND_FACTOR_REQUIRED, TOO_MANY_ATTEMPTS } = AuthErrorCode;

const NAME: Schema = { type: 'string', minLength: 1, maxLength: 64 };
const CODE: Schema = { type: 'string', description: 'Of an authenticator app: six digits' };
const FACTORS = objectOf({
  factors: listOf(
    objectOf({
      id: TEXT,
      kind: { type: 'string', enum: ['totp'] },
      name: NAME,
      createdAt: TIME,
      lastUsedAt: { ...TIME, nullable: true },
    }),
  ),
  recoveryCodesLeft: INTEGER,
});
const RECOVERY_CODES = { recoveryCodes: listOf(TEXT) };

/** @param cookies whether tokens of browsers travel in cookies, and a login may be remembered */
const operationsOf = (user: Schema, cookies: boolean): Readonly<Record<string, Operation>> => ({
  'POST login/factor': {
    operationId: 'kitAuthLoginFactor',
    summary: 'Completes a login with a second factor, and returns a token',
    open: true,
    body: objectOf(
      {
        challenge: { ...TEXT, description: 'From the answer 40112' },
        factor: { type: 'string', enum: ['totp', 'recovery'] },
        code: { ...TEXT, description: 'Six digits of an authenticator app, or a recovery code' },
        ...(cookies && { remember: BOOLEAN }),
      },
      ['remember'],
    ),
    status: 200,
    answer: objectOf({ token: TEXT, user }, cookies ? ['token'] : []),
    errors: [BAD_REQUEST, FACTOR_FAILED, TOO_MANY_ATTEMPTS],
  },
  'GET factors': {
    operationId: 'kitAuthListFactors',
    summary: "Lists the current user's second factors",
    status: 200,
    answer: FACTORS,
    errors: [PASSWORD_CHANGE_REQUIRED],
  },
  'POST factors/totp': {
    operationId: 'kitAuthAddTotp',
    summary: 'Creates a device for an authenticator app. It has to be confirmed',
    body: objectOf({ name: NAME }),
    status: 201,
    answer: objectOf({
      id: TEXT,
      secret: { ...TEXT, description: 'In base 32' },
      uri: { type: 'string', format: 'uri', description: 'The contents of a QR code' },
    }),
    errors: [BAD_REQUEST, FRESH_LOGIN_REQUIRED, PASSWORD_CHANGE_REQUIRED, CONFLICT, NOT_IMPLEMENTED],
  },
  'POST factors/totp/{id}/confirm': {
    operationId: 'kitAuthConfirmTotp',
    summary: 'Confirms a device with a code. Returns a new token, and recovery codes for the first device',
    body: objectOf(
      { code: CODE, endOthers: { ...BOOLEAN, description: 'Whether the other sessions of the user end' } },
      ['endOthers'],
    ),
    status: 200,
    answer: objectOf({ token: TEXT, user, ...RECOVERY_CODES }, [
      ...(cookies ? ['token'] : []),
      'recoveryCodes',
    ]),
    errors: [
      BAD_REQUEST,
      FACTOR_FAILED,
      PASSWORD_CHANGE_REQUIRED,
      NOT_FOUND,
      CONFLICT,
      TOO_MANY_ATTEMPTS,
      NOT_IMPLEMENTED,
    ],
  },
  'POST factors/recovery': {
    operationId: 'kitAuthRenewRecoveryCodes',
    summary: 'Replaces the recovery codes',
    status: 200,
    answer: objectOf(RECOVERY_CODES),
    errors: [FRESH_LOGIN_REQUIRED, PASSWORD_CHANGE_REQUIRED, CONFLICT],
  },
  'DELETE factors/{id}': {
    operationId: 'kitAuthRemoveFactor',
    summary: 'Removes a device. The last one is removed with the recovery codes',
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
  'GET users/{id}/factors': {
    operationId: 'kitAuthListUserFactors',
    summary: "Lists a user's second factors (auth:user:read)",
    status: 200,
    answer: FACTORS,
    errors: [FORBIDDEN, PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
  'DELETE users/{id}/factors': {
    operationId: 'kitAuthRemoveUserFactors',
    summary: "Removes a user's second factors and ends their sessions (auth:user:write)",
    status: 204,
    errors: [FRESH_LOGIN_REQUIRED, FORBIDDEN, PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
});

const EXTENSIONS: Readonly<Record<string, Extension>> = {
  'POST login': { errors: [SECOND_FACTOR_REQUIRED] },
  'POST fresh': {
    body: (properties) => {
      const added = { factor: { type: 'string', enum: ['totp'] }, code: CODE };
      return objectOf({ ...properties, ...added }, [...Object.keys(properties), ...Object.keys(added)]);
    },
    errors: [FACTOR_FAILED],
  },
};

/**
 * Describes the endpoints of `kit-auth-factors` in an OpenAPI document: bodies, answers and error codes. Adds the second
 * step to `POST login`, and the code to the body of `POST fresh`. Call it after `documentKitAuth()`, and before
 * `documentKitAuthRefresh()`. A document without these endpoints stays as it is.
 *
 * @example
 * ```ts
 * const document = documentKitAuthFactors(documentKitAuth(SwaggerModule.createDocument(app, config)));
 * ```
 *
 * @returns the same document
 */
export function documentKitAuthFactors<T extends OpenApiDocument>(
  document: T,
  { idType = 'number', ...options }: DocumentOptions = {},
): T {
  if (!Object.keys(document.paths).some((path) => path.endsWith('/v1/api/auth/login/factor'))) {
    return document;
  }
  const operations = operationsOf(userSummary(idType), options.cookie !== undefined);
  return extendOperations(describeOperations(document, operations, options), EXTENSIONS);
}
