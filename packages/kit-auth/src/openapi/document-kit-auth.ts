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
  SESSION,
  TEXT,
} from './describe-operations.js';

const USER = objectOf({ userId: INTEGER, username: TEXT, nickname: TEXT, superAdmin: BOOLEAN });

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST login': {
    summary: 'Logs in',
    open: true,
    body: objectOf({ username: TEXT, password: PASSWORD }),
    status: 200,
    answer: objectOf({ token: TEXT, user: USER }),
    errors: [
      AuthErrorCode.BAD_REQUEST,
      AuthErrorCode.LOGIN_FAILED,
      AuthErrorCode.USER_DISABLED,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
    ],
  },
  'GET me': { summary: 'The current user', status: 200, answer: USER },
  'POST logout': { summary: 'Ends the token that came with the request', status: 204 },
  'POST password': {
    summary: 'Changes the own password, and ends the other sessions',
    body: objectOf({ currentPassword: PASSWORD, newPassword: PASSWORD }),
    status: 204,
    errors: [
      AuthErrorCode.BAD_REQUEST,
      AuthErrorCode.LOGIN_FAILED,
      AuthErrorCode.CONFLICT,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
    ],
  },
  'GET sessions': {
    summary: 'The own sessions, oldest first',
    status: 200,
    answer: listOf(SESSION),
    errors: [AuthErrorCode.PASSWORD_CHANGE_REQUIRED, AuthErrorCode.NOT_IMPLEMENTED],
  },
  'DELETE sessions': {
    summary: 'Ends all own sessions but the one that asks',
    status: 204,
    errors: [
      AuthErrorCode.PASSWORD_CHANGE_REQUIRED,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
      AuthErrorCode.NOT_IMPLEMENTED,
    ],
  },
  'DELETE sessions/{id}': {
    summary: 'Ends one of the own sessions',
    status: 204,
    errors: [
      AuthErrorCode.PASSWORD_CHANGE_REQUIRED,
      AuthErrorCode.NOT_FOUND,
      AuthErrorCode.TOO_MANY_ATTEMPTS,
      AuthErrorCode.NOT_IMPLEMENTED,
    ],
  },
};

/**
 * Says in an OpenAPI document what the endpoints of the core take and give:
 * `documentKitAuth(SwaggerModule.createDocument(app, config))`.
 *
 * @returns the same document
 */
export function documentKitAuth<T extends OpenApiDocument>(document: T, options?: DescribeOptions): T {
  return describeOperations(document, OPERATIONS, options);
}
