import { AuthErrorCode } from '../errors/auth-error-code.js';
import {
  BOOLEAN,
  describeOperations,
  type DescribeOptions,
  INTEGER,
  listOf,
  objectOf,
  type OpenApiDocument,
  type Operation,
  PASSWORD,
  type Schema,
  SESSION,
  TEXT,
} from './describe-operations.js';

/** The schema of the user in an answer. @param idType of the user store */
export function userSummary(idType: 'number' | 'string'): Schema {
  const userId = idType === 'string' ? TEXT : INTEGER;
  return objectOf({ userId, username: TEXT, nickname: TEXT, superAdmin: BOOLEAN });
}

/** @param cookies whether tokens of browsers travel in cookies, and a login may be remembered */
const operationsOf = (user: Schema, cookies: boolean): Readonly<Record<string, Operation>> => ({
  'POST login': {
    operationId: 'kitAuthLogin',
    summary: 'Logs in and returns a token',
    open: true,
    body: objectOf({ username: TEXT, password: PASSWORD, ...(cookies && { remember: BOOLEAN }) }, [
      'remember',
    ]),
    status: 200,
    answer: objectOf({ token: TEXT, user }, cookies ? ['token'] : []),
    errors: [
      AuthErrorCode.BAD_REQUEST,
      AuthErrorCode.LOGIN_FAILED,
      AuthErrorCode.USER_DISABLED,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
    ],
  },
  'GET me': { operationId: 'kitAuthMe', summary: 'Returns the current user', status: 200, answer: user },
  'POST logout': {
    operationId: 'kitAuthLogout',
    summary: 'Logs out: ends the token of the request',
    status: 204,
  },
  'POST password': {
    operationId: 'kitAuthChangePassword',
    summary:
      "Changes the current user's password and ends their other sessions. With endKeys, their API keys, too",
    body: objectOf({ currentPassword: PASSWORD, newPassword: PASSWORD, endKeys: BOOLEAN }, ['endKeys']),
    status: 204,
    errors: [
      AuthErrorCode.BAD_REQUEST,
      AuthErrorCode.LOGIN_FAILED,
      AuthErrorCode.CONFLICT,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
      AuthErrorCode.NOT_IMPLEMENTED,
    ],
  },
  'POST fresh': {
    operationId: 'kitAuthConfirmLogin',
    summary: 'Confirms the login with the password, and returns a new token',
    body: objectOf({ password: PASSWORD }),
    status: 200,
    answer: objectOf({ token: TEXT, user }, cookies ? ['token'] : []),
    errors: [
      AuthErrorCode.BAD_REQUEST,
      AuthErrorCode.LOGIN_FAILED,
      AuthErrorCode.USER_DISABLED,
      AuthErrorCode.FORBIDDEN,
      AuthErrorCode.PASSWORD_CHANGE_REQUIRED,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
      AuthErrorCode.NOT_IMPLEMENTED,
    ],
  },
  'GET sessions': {
    operationId: 'kitAuthListSessions',
    summary: "Lists the current user's sessions, oldest first",
    status: 200,
    answer: listOf(SESSION),
    errors: [AuthErrorCode.PASSWORD_CHANGE_REQUIRED, AuthErrorCode.NOT_IMPLEMENTED],
  },
  'DELETE sessions': {
    operationId: 'kitAuthEndOtherSessions',
    summary: "Ends the current user's other sessions",
    status: 204,
    errors: [
      AuthErrorCode.FRESH_LOGIN_REQUIRED,
      AuthErrorCode.PASSWORD_CHANGE_REQUIRED,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
      AuthErrorCode.NOT_IMPLEMENTED,
    ],
  },
  'DELETE sessions/{id}': {
    operationId: 'kitAuthEndSession',
    summary: 'Ends a session of the current user. Another one than that of the request needs a fresh login',
    status: 204,
    errors: [
      AuthErrorCode.FRESH_LOGIN_REQUIRED,
      AuthErrorCode.PASSWORD_CHANGE_REQUIRED,
      AuthErrorCode.NOT_FOUND,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
      AuthErrorCode.NOT_IMPLEMENTED,
    ],
  },
});

export interface DocumentOptions extends DescribeOptions {
  /** The `idType` of the user store. Default `number`. */
  idType?: 'number' | 'string' | undefined;
}

/**
 * Describes the endpoints of the core in an OpenAPI document: bodies, answers and error codes.
 *
 * @example
 * ```ts
 * const document = documentKitAuth(SwaggerModule.createDocument(app, config));
 * ```
 *
 * @returns the same document
 */
export function documentKitAuth<T extends OpenApiDocument>(
  document: T,
  { idType = 'number', ...options }: DocumentOptions = {},
): T {
  const user = userSummary(idType);
  return describeOperations(document, operationsOf(user, options.cookie !== undefined), options);
}
