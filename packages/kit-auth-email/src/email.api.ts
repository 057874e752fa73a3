import { AuthErrorCode } from 'kit-auth';
import { OWN_CHANGES } from 'kit-auth/login';
import {
  type Address,
  BOOLEAN,
  choice,
  EMAIL,
  endpoints,
  object,
  optional,
  orNull,
  parseAddress,
  parsed,
  PASSWORD,
  REMEMBER,
  type Schema,
  TEXT,
  value,
} from 'kit-auth/feature';

const { CONFLICT, FACTOR_FAILED, FORBIDDEN, KEY_NOT_ALLOWED, LINK_INVALID, LOGIN_FAILED } = AuthErrorCode;
const { TOKEN_INVALID, TOKEN_MISSING, TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

/** An email address in a body. Outer spaces are removed. */
export const ADDRESS: Schema<Address, string> = {
  ...parsed<Address, string>(EMAIL.json, 'be one email address', (it) => parseAddress((it as string).trim())),
  isText: true,
};
const FACTOR = choice('email');

/** The endpoints of login links exist only if the option is on. */
export const emailApi = endpoints({
  'POST password/forgot': {
    id: 'kitAuthForgotPassword',
    summary: 'Sends a link to choose a new password. The answer is the same for unknown addresses',
    isPublic: true,
    body: { email: ADDRESS },
    status: 202,
    errors: [TOO_MANY_ATTEMPTS],
  },
  'POST password/reset': {
    id: 'kitAuthResetPassword',
    summary: 'Sets a new password with the token of a link, and ends all sessions',
    isPublic: true,
    body: { token: TEXT, newPassword: PASSWORD },
    errors: [LINK_INVALID],
  },
  'GET email': {
    id: 'kitAuthGetEmail',
    summary: 'Returns the address of the current user, and whether it is verified',
    answer: object({ email: orNull(EMAIL), verified: BOOLEAN }),
  },
  'POST email': {
    id: 'kitAuthChangeEmail',
    summary: 'Sends a link to a new address, which replaces the old one when the link is confirmed',
    // As strict as adding a passkey, because a login link to the new address suffices for that. Recovery codes do not.
    fresh: [{ factors: 'second' }, OWN_CHANGES],
    body: { email: ADDRESS },
    status: 202,
    errors: [CONFLICT, TOO_MANY_ATTEMPTS],
  },
  'DELETE email/pending': {
    id: 'kitAuthEndEmailChange',
    summary: 'Cancels the unconfirmed change of the address, if there is one',
  },
  'POST email/verify': {
    id: 'kitAuthVerifyEmail',
    summary: 'Sends a link to verify the current address',
    status: 202,
    errors: [CONFLICT, TOO_MANY_ATTEMPTS],
  },
  'POST email/confirm': {
    id: 'kitAuthConfirmEmail',
    summary:
      'Confirms an address with the token of a link. Without sessions or refresh tokens, a change also needs a token of the user',
    // Users may open the link in a browser without a login.
    isPublic: true,
    body: { token: TEXT },
    errors: [LINK_INVALID, TOKEN_MISSING, TOKEN_INVALID, FORBIDDEN, KEY_NOT_ALLOWED, CONFLICT],
  },
  'POST login/link': {
    id: 'kitAuthSendLoginLink',
    summary: 'Sends a link and a code to log in. The answer is the same for unknown addresses',
    isPublic: true,
    body: { email: ADDRESS, remember: { ...optional(BOOLEAN), json: REMEMBER.json } },
    status: 202,
    errors: [TOO_MANY_ATTEMPTS],
  },
  'POST login/link/complete': {
    id: 'kitAuthCompleteLoginLink',
    summary:
      'Logs in with the token of a link, in the browser that has asked for it, or with the address and the code of the mail',
    isPublic: true,
    // Either the token, or the address and the code. The handler reads them.
    body: {
      token: optional(value<unknown, string>(TEXT.json)),
      email: optional(value<unknown, string>(EMAIL.json)),
      code: optional(value<unknown, string>(TEXT.json)),
    },
    status: 200,
    login: true,
    errors: [LINK_INVALID, LOGIN_FAILED, USER_DISABLED, CONFLICT, TOO_MANY_ATTEMPTS],
  },
  'POST users/{id}/reset-link': {
    id: 'kitAuthSendResetLink',
    summary: 'Sends a user a link to choose a new password',
    permission: 'auth:user:write',
    fresh: true,
    status: 202,
    errors: [CONFLICT, TOO_MANY_ATTEMPTS],
    section: 'users',
  },
});

/** The factor `email` of `POST fresh`. */
export const emailAdditions = {
  'POST fresh/options': { body: { factor: FACTOR }, accepts: true },
  'POST fresh': { body: { factor: FACTOR, code: TEXT }, errors: [FACTOR_FAILED] },
} as const;
