import { AuthErrorCode } from 'kit-auth';
import {
  describeOperations,
  type DocumentOptions,
  extendOperations,
  type Extension,
  INTEGER,
  objectOf,
  type OpenApiDocument,
  type Operation,
  type Schema,
  TEXT,
  userSummary,
} from 'kit-auth/openapi';

const { BAD_REQUEST, TOKEN_INVALID } = AuthErrorCode;
/** The members that the answer of a login gets. */
const ADDED = { expiresAt: INTEGER, refreshToken: TEXT };
/** `POST login` and what answers alike. */
const LOGINS = ['login', 'login/factor', 'fresh', 'factors/totp/{id}/confirm', 'register/complete'];

/** @param inCookie the members that browsers have in cookies instead */
const operationsOf = (user: Schema, inCookie: string[]): Readonly<Record<string, Operation>> => ({
  'POST token/refresh': {
    operationId: 'kitAuthRefreshToken',
    summary: 'Replaces a refresh token, and returns an access token',
    open: true,
    body: objectOf({ refreshToken: TEXT }, inCookie),
    status: 200,
    answer: objectOf({ token: TEXT, user, ...ADDED }, inCookie),
    errors: [BAD_REQUEST, TOKEN_INVALID],
  },
  'POST token/end': {
    operationId: 'kitAuthEndToken',
    summary: 'Logs out: ends the login of a refresh token',
    open: true,
    body: objectOf({ refreshToken: TEXT }, inCookie),
    status: 204,
    errors: [BAD_REQUEST],
  },
});

/**
 * Describes the endpoints of `kit-auth-refresh` in an OpenAPI document, and adds `refreshToken` and `expiresAt` to the
 * answers of a login. Call it after `documentKitAuth()`. A document without these endpoints stays as it is.
 *
 * @example
 * ```ts
 * const document = documentKitAuthRefresh(documentKitAuth(SwaggerModule.createDocument(app, config)));
 * ```
 *
 * @returns the same document
 */
export function documentKitAuthRefresh<T extends OpenApiDocument>(
  document: T,
  { idType = 'number', ...options }: DocumentOptions = {},
): T {
  if (!Object.keys(document.paths).some((path) => path.endsWith('/v1/api/auth/token/refresh'))) {
    return document;
  }
  const inCookie = options.cookie === undefined ? [] : ['token', 'refreshToken'];
  const extension: Extension = {
    answer: (properties, optional) => objectOf({ ...properties, ...ADDED }, [...optional, ...inCookie]),
  };
  extendOperations(document, Object.fromEntries(LOGINS.map((path) => [`POST ${path}`, extension])));
  return describeOperations(document, operationsOf(userSummary(idType), inCookie), options);
}
