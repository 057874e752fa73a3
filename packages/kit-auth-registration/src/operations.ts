import { AuthErrorCode } from 'kit-auth';
import {
  type AuthOperations,
  BOOLEAN,
  EMAIL,
  listOf,
  objectOf,
  PASSWORD,
  type Schema,
  TEXT,
  TIME,
} from 'kit-auth/extend';

const { CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED, LINK_INVALID } = AuthErrorCode;
const { LOGIN_FAILED, NOT_IMPLEMENTED, TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

const NICKNAME: Schema = { type: 'string', minLength: 1, maxLength: 255 };
const LOCALE: Schema = { type: 'string', maxLength: 35, description: 'A language tag of BCP 47' };
const SENT = { id: TEXT, email: EMAIL, expiresAt: TIME };

/** The endpoints of this package, for OpenAPI documents. */
export const registrationOperations: AuthOperations = ({ userId, cookies }) => ({
  operations: {
    'POST register': {
      operationId: 'kitAuthRegister',
      summary: 'Sends a link to register. The answer is the same for known addresses',
      body: objectOf({ email: EMAIL, locale: LOCALE }, ['locale']),
      errors: [FORBIDDEN, TOO_MANY_ATTEMPTS],
    },
    'POST register/complete': {
      operationId: 'kitAuthCompleteRegistration',
      summary: 'Creates the account of a link or an invitation, and logs in',
      body: objectOf(
        { token: TEXT, password: PASSWORD, nickname: NICKNAME, ...(cookies && { remember: BOOLEAN }) },
        ['nickname', 'remember'],
      ),
      login: true,
      errors: [LINK_INVALID, LOGIN_FAILED, USER_DISABLED, CONFLICT],
    },
    'POST invitations': {
      operationId: 'kitAuthInvite',
      summary:
        'Sends an invitation, which replaces an earlier one to the address. Administrative roles need a fresh login',
      body: objectOf({ email: EMAIL, nickname: NICKNAME, roles: listOf(TEXT), locale: LOCALE }, [
        'nickname',
        'roles',
        'locale',
      ]),
      answer: objectOf(SENT),
      errors: [FRESH_LOGIN_REQUIRED, CONFLICT, NOT_IMPLEMENTED],
    },
    'GET invitations': {
      operationId: 'kitAuthListInvitations',
      summary: 'Lists the live invitations, oldest first',
      answer: listOf(
        objectOf(
          {
            ...SENT,
            nickname: NICKNAME,
            roles: listOf(TEXT),
            inviterId: userId,
            createdAt: TIME,
          },
          ['nickname'],
        ),
      ),
    },
    'DELETE invitations/{id}': {
      operationId: 'kitAuthEndInvitation',
      summary: 'Ends an invitation',
    },
  },
});
