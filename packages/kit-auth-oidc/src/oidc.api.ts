import { AuthErrorCode } from 'kit-auth';
import {
  described,
  endpoints,
  list,
  nicknameFrom,
  object,
  optional,
  orNull,
  type ServerOf,
  TEXT,
  TIME,
  value,
} from 'kit-auth/feature';
import { OWN_CHANGES } from 'kit-auth/login';

const {
  CONFLICT,
  EXTERNAL_LOGIN_FAILED,
  FORBIDDEN,
  NOT_IMPLEMENTED,
  SECOND_FACTOR_REQUIRED,
  TOO_MANY_ATTEMPTS,
  USER_DISABLED,
} = AuthErrorCode;

const IDENTITY_INFO = {
  id: TEXT,
  /** The name of the provider in the options. */
  provider: TEXT,
  /** The name of the provider that people see. */
  title: TEXT,
  /** The address at the provider when the identity was linked, for people. */
  address: orNull(TEXT),
  createdAt: TIME,
  lastUsedAt: orNull(TIME),
};

/** An identity that a user has linked. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface IdentityInfo extends ServerOf<typeof IDENTITY_INFO> {}
export const IDENTITY = object(IDENTITY_INFO);

/** A string that the handler checks: after it knows the provider and the page, to which it reports problems. */
function unread<T extends string = string>(more: object = {}) {
  return optional(value<unknown, T>({ type: 'string', ...more }));
}
const RETURN_TO = unread({ description: 'One of the URLs in kit.auth.oidc.returnTo, or a page below it' });
const CHALLENGE = unread({
  description: 'For apps, and for pages without cookies: the SHA-256 of a random verifier, in base64url',
});
const VERIFIER = described(TEXT, 'The verifier whose SHA-256 was the challenge');
/** `prompt` of OpenID Connect. */
export const PROMPTS = ['login', 'select_account', 'consent', 'none'] as const;

/** Endpoints that return the URL of a provider for the current user. */
const FOR_USER = {
  body: { returnTo: RETURN_TO, challenge: CHALLENGE },
  answer: object({ url: described(TEXT, 'The page goes there') }),
  status: 200,
  errors: [FORBIDDEN, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
} as const;

/** The endpoints, in the order of a login. */
export const oidcApi = endpoints({
  'GET oidc': {
    id: 'kitAuthListProviders',
    summary: 'Lists the providers that users can log in with',
    isPublic: true,
    answer: list(object({ name: TEXT, title: TEXT })),
  },
  'GET oidc/{name}/start': {
    id: 'kitAuthStartExternalLogin',
    summary: 'Sends the browser to a provider. Link to it, or set `location.href`',
    isPublic: true,
    query: {
      returnTo: RETURN_TO,
      remember: optional(value<unknown, boolean>({ type: 'boolean' })),
      challenge: CHALLENGE,
      prompt: unread<(typeof PROMPTS)[number]>({ enum: PROMPTS }),
    },
    status: 200,
    errors: [EXTERNAL_LOGIN_FAILED, TOO_MANY_ATTEMPTS],
  },
  'GET oidc/{name}/callback': {
    id: 'kitAuthExternalLoginCallback',
    summary: 'Receives the browser from a provider, and sends it to the page or the app where the login ends',
    isPublic: true,
    query: { state: unread(), code: unread(), error: unread(), iss: unread() },
    status: 200,
    errors: [EXTERNAL_LOGIN_FAILED],
  },
  'POST oidc/exchange': {
    id: 'kitAuthExchangeCode',
    summary: 'Exchanges the code of an app, or of a page without cookies, for a token',
    isPublic: true,
    body: { code: TEXT, verifier: VERIFIER },
    login: true,
    status: 200,
    errors: [EXTERNAL_LOGIN_FAILED, SECOND_FACTOR_REQUIRED, USER_DISABLED],
  },
  'POST oidc/complete': {
    id: 'kitAuthCompleteSignUp',
    summary: 'Creates the account of a sign-up with a provider, and returns a token',
    isPublic: true,
    body: {
      token: TEXT,
      nickname: optional(value(TEXT.json, nicknameFrom)),
      verifier: optional(value(VERIFIER.json, (given) => (typeof given === 'string' ? given : undefined))),
    },
    login: true,
    status: 200,
    errors: [EXTERNAL_LOGIN_FAILED, CONFLICT],
  },
  'POST oidc/{name}/link': {
    id: 'kitAuthLinkIdentity',
    summary: 'Begins to link an identity at a provider',
    fresh: OWN_CHANGES,
    ...FOR_USER,
  },
  'POST oidc/{name}/fresh': {
    id: 'kitAuthFreshExternal',
    summary: 'Begins the confirmation of a login by its provider',
    beforeEnrolment: true,
    ...FOR_USER,
  },
  'POST oidc/logout': {
    id: 'kitAuthExternalLogout',
    summary: 'Logs out. Returns the URL at which the user also logs out of the provider',
    beforeEnrolment: true,
    beforePasswordChange: true,
    forActors: true,
    answer: object({ url: optional(TEXT) }),
    status: 200,
  },
  'POST oidc/{name}/backchannel-logout': {
    id: 'kitAuthBackchannelLogout',
    summary: 'Ends logins. For the provider only (OpenID Connect Back-Channel Logout 1.0)',
    isPublic: true,
    answer: object({}),
    status: 200,
    errors: [TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
});
