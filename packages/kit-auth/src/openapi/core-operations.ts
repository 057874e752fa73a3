import { AuthErrorCode } from '../errors/auth-error-code.js';
import { type AuthOperations, BOOLEAN, listOf, objectOf, PASSWORD, SESSION, TEXT } from './operation.js';

const { CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED, LOGIN_FAILED, NOT_IMPLEMENTED } = AuthErrorCode;
const { TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

/** The endpoints of the core. */
export const coreOperations: AuthOperations = ({ user, cookies }) => ({
  operations: {
    'POST login': {
      operationId: 'kitAuthLogin',
      summary: 'Logs in and returns a token',
      body: objectOf({ username: TEXT, password: PASSWORD, ...(cookies && { remember: BOOLEAN }) }, [
        'remember',
      ]),
      login: true,
      errors: [LOGIN_FAILED, USER_DISABLED, TOO_MANY_ATTEMPTS],
    },
    'GET me': { operationId: 'kitAuthMe', summary: 'Returns the current user', answer: user },
    'POST logout': { operationId: 'kitAuthLogout', summary: 'Logs out: ends the token of the request' },
    'POST password': {
      operationId: 'kitAuthChangePassword',
      summary:
        "Changes the current user's password and ends their other sessions. With endKeys, their API keys, too. " +
        'Without currentPassword, it sets the first password of an account that has none, after a fresh login',
      body: objectOf({ currentPassword: PASSWORD, newPassword: PASSWORD, endKeys: BOOLEAN }, [
        'currentPassword',
        'endKeys',
      ]),
      errors: [LOGIN_FAILED, FRESH_LOGIN_REQUIRED, FORBIDDEN, CONFLICT, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
    },
    'POST fresh': {
      operationId: 'kitAuthConfirmLogin',
      summary: 'Confirms the login with the password, and returns a new token',
      body: objectOf({ password: PASSWORD }),
      login: true,
      errors: [LOGIN_FAILED, USER_DISABLED, FORBIDDEN, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
    },
    // Only in applications with a factor that has options.
    'POST fresh/options': {
      operationId: 'kitAuthFreshOptions',
      summary: 'Begins the confirmation of a login with another factor than the password',
      errors: [FORBIDDEN, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
    },
    'GET sessions': {
      operationId: 'kitAuthListSessions',
      summary: "Lists the current user's sessions, oldest first",
      answer: listOf(SESSION),
      errors: [NOT_IMPLEMENTED],
    },
    'DELETE sessions': {
      operationId: 'kitAuthEndOtherSessions',
      summary: "Ends the current user's other sessions",
      errors: [TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
    },
    'DELETE sessions/{id}': {
      operationId: 'kitAuthEndSession',
      summary: 'Ends a session of the current user. Another one than that of the request needs a fresh login',
      errors: [FRESH_LOGIN_REQUIRED, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
    },
  },
});
