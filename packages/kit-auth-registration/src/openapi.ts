import { AuthErrorCode } from 'kit-auth';
import {
  BOOLEAN,
  describeOperations,
  type DocumentOptions,
  INTEGER,
  listOf,
  objectOf,
  type OpenApiDocument,
  type Operation,
  PASSWORD,
  type Schema,
  TEXT,
  TIME,
  userSummary,
} from 'kit-auth/openapi';

const { BAD_REQUEST, CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED, LINK_INVALID } = AuthErrorCode;
const { LOGIN_FAILED, NOT_FOUND, NOT_IMPLEMENTED } = AuthErrorCode;
const { PASSWORD_CHANGE_REQUIRED, TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

const EMAIL: Schema = { type: 'string', format: 'email', maxLength: 254 };
const NICKNAME: Schema = { type: 'string', minLength: 1, maxLength: 255 };
const LOCALE: Schema = { type: 'string', maxLength: 35, description: 'A language tag of BCP 47' };
const SENT = { id: TEXT, email: EMAIL, expiresAt: TIME };

/** @param cookies whether tokens of browsers travel in cookies, and a login may be remembered */
const operationsOf = (
  idType: 'number' | 'string',
  cookies: boolean,
): Readonly<Record<string, Operation>> => ({
  'POST register': {
    operationId: 'kitAuthRegister',
    summary: 'Sends a link to register. The answer is the same for known addresses',
    open: true,
    body: objectOf({ email: EMAIL, locale: LOCALE }, ['locale']),
    status: 202,
    errors: [BAD_REQUEST, FORBIDDEN, TOO_MANY_ATTEMPTS],
  },
  'POST register/complete': {
    operationId: 'kitAuthCompleteRegistration',
    summary: 'Creates the account of a link or an invitation, and logs in',
    open: true,
    body: objectOf(
      { token: TEXT, password: PASSWORD, nickname: NICKNAME, ...(cookies && { remember: BOOLEAN }) },
      ['nickname', 'remember'],
    ),
    status: 200,
    answer: objectOf({ token: TEXT, user: userSummary(idType) }, cookies ? ['token'] : []),
    errors: [BAD_REQUEST, LINK_INVALID, LOGIN_FAILED, USER_DISABLED, CONFLICT],
  },
  'POST invitations': {
    operationId: 'kitAuthInvite',
    summary:
      'Sends an invitation, in place of a former one to the address (auth:user:write). ' +
      'Administrative roles need a fresh login',
    body: objectOf({ email: EMAIL, nickname: NICKNAME, roles: listOf(TEXT), locale: LOCALE }, [
      'nickname',
      'roles',
      'locale',
    ]),
    status: 201,
    answer: objectOf(SENT),
    errors: [
      BAD_REQUEST,
      FRESH_LOGIN_REQUIRED,
      FORBIDDEN,
      PASSWORD_CHANGE_REQUIRED,
      CONFLICT,
      NOT_IMPLEMENTED,
    ],
  },
  'GET invitations': {
    operationId: 'kitAuthListInvitations',
    summary: 'Lists the live invitations, oldest first (auth:user:write)',
    status: 200,
    answer: listOf(
      objectOf(
        {
          ...SENT,
          nickname: NICKNAME,
          roles: listOf(TEXT),
          inviterId: idType === 'string' ? TEXT : INTEGER,
          createdAt: TIME,
        },
        ['nickname'],
      ),
    ),
    errors: [FORBIDDEN],
  },
  'DELETE invitations/{id}': {
    operationId: 'kitAuthEndInvitation',
    summary: 'Ends an invitation (auth:user:write)',
    status: 204,
    errors: [FORBIDDEN, PASSWORD_CHANGE_REQUIRED, NOT_FOUND],
  },
});

/**
 * Describes the endpoints of `kit-auth-registration` in an OpenAPI document: bodies, answers and error codes. With
 * refresh tokens, call `documentKitAuthRefresh()` after it.
 *
 * @example
 * ```ts
 * const document = documentKitAuthRegistration(documentKitAuth(SwaggerModule.createDocument(app, config)));
 * ```
 *
 * @returns the same document
 */
export function documentKitAuthRegistration<T extends OpenApiDocument>(
  document: T,
  { idType = 'number', ...options }: DocumentOptions = {},
): T {
  return describeOperations(document, operationsOf(idType, options.cookie !== undefined), options);
}
