import { AuthErrorCode } from 'kit-auth';
import {
  type AuthOperations,
  BOOLEAN,
  EMAIL,
  objectOf,
  orNull,
  PASSWORD,
  type Schema,
  TEXT,
} from 'kit-auth/extend';

const { CONFLICT, FACTOR_FAILED, FORBIDDEN, KEY_NOT_ALLOWED, LINK_INVALID, LOGIN_FAILED } = AuthErrorCode;
const { TOKEN_INVALID, TOKEN_MISSING, TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

const FACTOR: Schema = { type: 'string', enum: ['email'] };

/** The endpoints of this package, for OpenAPI documents. Those of login links exist only if the option is on. */
export const emailOperations: AuthOperations = ({ cookies }) => ({
  operations: {
    'POST password/forgot': {
      operationId: 'kitAuthForgotPassword',
      summary: 'Sends a link to choose a new password. The answer is the same for unknown addresses',
      body: objectOf({ email: EMAIL }),
      errors: [TOO_MANY_ATTEMPTS],
    },
    'POST password/reset': {
      operationId: 'kitAuthResetPassword',
      summary: 'Sets a new password with the token of a link, and ends all sessions',
      body: objectOf({ token: TEXT, newPassword: PASSWORD }),
      errors: [LINK_INVALID],
    },
    'GET email': {
      operationId: 'kitAuthGetEmail',
      summary: 'Returns the address of the current user, and whether it is verified',
      answer: objectOf({ email: orNull(EMAIL), verified: BOOLEAN }),
    },
    'POST email': {
      operationId: 'kitAuthChangeEmail',
      summary: 'Sends a link to a new address, which replaces the old one when the link is confirmed',
      body: objectOf({ email: EMAIL }),
      errors: [CONFLICT, TOO_MANY_ATTEMPTS],
    },
    'DELETE email/pending': {
      operationId: 'kitAuthEndEmailChange',
      summary: 'Cancels the unconfirmed change of the address, if there is one',
    },
    'POST email/verify': {
      operationId: 'kitAuthVerifyEmail',
      summary: 'Sends a link to verify the current address',
      errors: [CONFLICT, TOO_MANY_ATTEMPTS],
    },
    'POST email/confirm': {
      operationId: 'kitAuthConfirmEmail',
      summary:
        'Confirms an address with the token of a link. Without sessions or refresh tokens, a change also needs a token of the user',
      body: objectOf({ token: TEXT }),
      errors: [LINK_INVALID, TOKEN_MISSING, TOKEN_INVALID, FORBIDDEN, KEY_NOT_ALLOWED, CONFLICT],
    },
    'POST login/link': {
      operationId: 'kitAuthSendLoginLink',
      summary: 'Sends a link and a code to log in. The answer is the same for unknown addresses',
      body: objectOf({ email: EMAIL, ...(cookies && { remember: BOOLEAN }) }, ['remember']),
      errors: [TOO_MANY_ATTEMPTS],
    },
    'POST login/link/complete': {
      operationId: 'kitAuthCompleteLoginLink',
      summary:
        'Logs in with the token of a link, in the browser that has asked for it, or with the address and the code of the mail',
      body: objectOf({ token: TEXT, email: EMAIL, code: TEXT }, ['token', 'email', 'code']),
      login: true,
      errors: [LINK_INVALID, LOGIN_FAILED, USER_DISABLED, CONFLICT, TOO_MANY_ATTEMPTS],
    },
    'POST users/{id}/reset-link': {
      operationId: 'kitAuthSendResetLink',
      summary: 'Sends a user a link to choose a new password',
      errors: [CONFLICT, TOO_MANY_ATTEMPTS],
    },
  },
  additions: {
    'POST fresh/options': { body: objectOf({ factor: FACTOR }), accepts: true },
    'POST fresh': { body: objectOf({ factor: FACTOR, code: TEXT }), errors: [FACTOR_FAILED] },
  },
});
