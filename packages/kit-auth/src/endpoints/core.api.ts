import type { UserSummary } from '../contract/login-user.js';
import { BOOLEAN, list, object, optional, PASSWORD, REMEMBER, TEXT, TIME, value } from './schema.js';
import { endpoints } from './endpoint.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';

const { CONFLICT, FORBIDDEN, FRESH_LOGIN_REQUIRED, LOGIN_FAILED, NOT_IMPLEMENTED } = AuthErrorCode;
const { TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

const USER = value<UserSummary>(({ user }) => user);
export const SESSION = object({
  id: TEXT,
  createdAt: TIME,
  lastSeenAt: TIME,
  expiresAt: TIME,
  address: optional(TEXT),
  userAgent: optional(TEXT),
  current: BOOLEAN,
});

const NEW_PASSWORD = { newPassword: PASSWORD, endKeys: optional(BOOLEAN) };
/** The two bodies of `POST password`. */
export const CHANGED_PASSWORD = { currentPassword: PASSWORD, ...NEW_PASSWORD };
export const FIRST_PASSWORD = { currentPassword: optional(PASSWORD), ...NEW_PASSWORD };

export const accountApi = endpoints({
  'POST login': {
    id: 'kitAuthLogin',
    summary: 'Logs in and returns a token',
    isPublic: true,
    body: { username: TEXT, password: PASSWORD, remember: REMEMBER },
    login: true,
    status: 200,
    errors: [LOGIN_FAILED, USER_DISABLED, TOO_MANY_ATTEMPTS],
  },
  'GET me': {
    id: 'kitAuthMe',
    summary: 'Returns the current user',
    beforePasswordChange: true,
    beforeEnrolment: true,
    answer: USER,
  },
  'POST logout': {
    id: 'kitAuthLogout',
    summary: 'Logs out: ends the token of the request',
    beforePasswordChange: true,
    beforeEnrolment: true,
    forActors: true,
  },
  'POST password': {
    id: 'kitAuthChangePassword',
    summary:
      "Changes the current user's password and ends their other sessions. With endKeys, their API keys, too. " +
      'Without currentPassword, it sets the first password of an account that has none, after a fresh login',
    beforePasswordChange: true,
    body: FIRST_PASSWORD,
    readsBody: true,
    errors: [LOGIN_FAILED, FRESH_LOGIN_REQUIRED, FORBIDDEN, CONFLICT, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
  'POST fresh': {
    id: 'kitAuthConfirmLogin',
    summary: 'Confirms the login with the password, and returns a new token',
    beforeEnrolment: true,
    body: { password: PASSWORD }, // Packages add those of their factors.
    readsBody: true,
    login: true,
    status: 200,
    errors: [LOGIN_FAILED, USER_DISABLED, FORBIDDEN, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
  'GET sessions': {
    id: 'kitAuthListSessions',
    summary: "Lists the current user's sessions, oldest first",
    answer: list(SESSION),
    errors: [NOT_IMPLEMENTED],
  },
  'DELETE sessions': {
    id: 'kitAuthEndOtherSessions',
    summary: "Ends the current user's other sessions",
    fresh: true,
    errors: [TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
  'DELETE sessions/{id}': {
    id: 'kitAuthEndSession',
    summary: 'Ends a session of the current user. Another one than that of the request needs a fresh login',
    errors: [FRESH_LOGIN_REQUIRED, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
});

/** Only of applications with a factor that has options. */
export const freshOptionsApi = endpoints({
  'POST fresh/options': {
    id: 'kitAuthFreshOptions',
    summary: 'Begins the confirmation of a login with another factor than the password',
    beforeEnrolment: true,
    body: { factor: TEXT },
    answer: value<object | undefined>(() => undefined), // Packages describe those of their factors.
    status: 200,
    errors: [FORBIDDEN, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
});
