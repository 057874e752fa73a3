import { AuthErrorCode } from 'kit-auth';
import {
  BOOLEAN,
  describeOperations,
  type DocumentOptions,
  objectOf,
  type OpenApiDocument,
  type Operation,
  PASSWORD,
  type Schema,
  TEXT,
} from 'kit-auth/openapi';

const { BAD_REQUEST, CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED, KEY_NOT_ALLOWED, LINK_INVALID } =
  AuthErrorCode;
const { NOT_FOUND, PASSWORD_CHANGE_REQUIRED, TOKEN_INVALID, TOKEN_MISSING, TOO_MANY_ATTEMPTS } =
  AuthErrorCode;

const EMAIL: Schema = { type: 'string', format: 'email', maxLength: 254 };

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST password/forgot': {
    operationId: 'kitAuthForgotPassword',
    summary: 'Sends a link to choose a new password. The answer is the same for unknown addresses',
    open: true,
    body: objectOf({ email: EMAIL }),
    status: 202,
    errors: [BAD_REQUEST, TOO_MANY_ATTEMPTS],
  },
  'POST password/reset': {
    operationId: 'kitAuthResetPassword',
    summary: 'Sets a new password with the token of a link, and ends all sessions',
    open: true,
    body: objectOf({ token: TEXT, newPassword: PASSWORD }),
    status: 204,
    errors: [BAD_REQUEST, LINK_INVALID],
  },
  'GET email': {
    operationId: 'kitAuthGetEmail',
    summary: 'Returns the own address, and whether it is verified',
    status: 200,
    answer: objectOf({ email: { ...EMAIL, nullable: true }, verified: BOOLEAN }),
  },
  'POST email': {
    operationId: 'kitAuthChangeEmail',
    summary: 'Sends a link to a new address. It takes the place of the old one when the link is confirmed',
    body: objectOf({ email: EMAIL }),
    status: 202,
    errors: [BAD_REQUEST, FRESH_LOGIN_REQUIRED, CONFLICT, TOO_MANY_ATTEMPTS],
  },
  'DELETE email/pending': {
    operationId: 'kitAuthEndEmailChange',
    summary: 'Ends the change of the address that is not confirmed yet, if there is one',
    status: 204,
  },
  'POST email/verify': {
    operationId: 'kitAuthVerifyEmail',
    summary: 'Sends a link to the own address, to verify it',
    status: 202,
    errors: [CONFLICT, TOO_MANY_ATTEMPTS],
  },
  'POST email/confirm': {
    operationId: 'kitAuthConfirmEmail',
    summary:
      'Confirms an address with the token of a link. A change also needs a token of the user where live logins are not known',
    open: true,
    body: objectOf({ token: TEXT }),
    status: 204,
    errors: [BAD_REQUEST, LINK_INVALID, TOKEN_MISSING, TOKEN_INVALID, FORBIDDEN, KEY_NOT_ALLOWED, CONFLICT],
  },
  'POST users/{id}/reset-link': {
    operationId: 'kitAuthSendResetLink',
    summary: 'Sends a user a link to choose a new password (auth:user:write)',
    status: 202,
    errors: [
      FRESH_LOGIN_REQUIRED,
      FORBIDDEN,
      PASSWORD_CHANGE_REQUIRED,
      NOT_FOUND,
      CONFLICT,
      TOO_MANY_ATTEMPTS,
    ],
  },
};

/**
 * Describes the endpoints of `kit-auth-email` in an OpenAPI document: bodies, answers and error codes.
 *
 * @example
 * ```ts
 * const document = documentKitAuthEmail(documentKitAuth(SwaggerModule.createDocument(app, config)));
 * ```
 *
 * @returns the same document
 */
export function documentKitAuthEmail<T extends OpenApiDocument>(
  document: T,
  options: DocumentOptions = {},
): T {
  return describeOperations(document, OPERATIONS, options);
}
