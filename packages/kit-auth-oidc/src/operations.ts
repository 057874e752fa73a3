import { AuthErrorCode } from 'kit-auth';
import {
  type AuthOperations,
  BOOLEAN,
  listOf,
  objectOf,
  type Operation,
  orNull,
  type Schema,
  TEXT,
  TIME,
} from 'kit-auth/extend';

const {
  CONFLICT,
  EXTERNAL_LOGIN_FAILED,
  FORBIDDEN,
  NOT_IMPLEMENTED,
  SECOND_FACTOR_REQUIRED,
  TOO_MANY_ATTEMPTS,
  USER_DISABLED,
} = AuthErrorCode;

const IDENTITY = objectOf({
  id: TEXT,
  provider: TEXT,
  title: TEXT,
  address: orNull(TEXT),
  createdAt: TIME,
  lastUsedAt: orNull(TIME),
});
const RETURN_TO: Schema = {
  ...TEXT,
  description: 'One of the URLs in kit.auth.oidc.returnTo, or a page below it',
};
const CHALLENGE: Schema = {
  ...TEXT,
  description: 'For apps, and for pages without cookies: the SHA-256 of a random verifier, in base64url',
};
const VERIFIER: Schema = { ...TEXT, description: 'The verifier whose SHA-256 was the challenge' };

function forUser(operationId: string, summary: string): Operation {
  return {
    operationId,
    summary,
    body: objectOf({ returnTo: RETURN_TO, challenge: CHALLENGE }, ['returnTo', 'challenge']),
    answer: objectOf({ url: { ...TEXT, description: 'The page goes there' } }),
    errors: [FORBIDDEN, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  };
}

/** The endpoints of this package, for OpenAPI documents. */
export const oidcOperations: AuthOperations = () => ({
  operations: {
    'GET oidc': {
      operationId: 'kitAuthListProviders',
      summary: 'Lists the providers that users can log in with',
      answer: listOf(objectOf({ name: TEXT, title: TEXT })),
    },
    'GET oidc/{name}/start': {
      operationId: 'kitAuthStartExternalLogin',
      summary: 'Sends the browser to a provider. Link to it, or set `location.href`',
      query: {
        returnTo: RETURN_TO,
        remember: BOOLEAN,
        challenge: CHALLENGE,
        prompt: { type: 'string', enum: ['login', 'select_account', 'consent', 'none'] },
      },
      errors: [EXTERNAL_LOGIN_FAILED, TOO_MANY_ATTEMPTS],
    },
    'GET oidc/{name}/callback': {
      operationId: 'kitAuthExternalLoginCallback',
      summary:
        'Receives the browser from a provider, and sends it to the page or the app where the login ends',
      query: { state: TEXT, code: TEXT, error: TEXT, iss: TEXT },
      errors: [EXTERNAL_LOGIN_FAILED],
    },
    'POST oidc/exchange': {
      operationId: 'kitAuthExchangeCode',
      summary: 'Exchanges the code of an app, or of a page without cookies, for a token',
      body: objectOf({ code: TEXT, verifier: VERIFIER }),
      login: true,
      errors: [EXTERNAL_LOGIN_FAILED, SECOND_FACTOR_REQUIRED, USER_DISABLED],
    },
    'POST oidc/complete': {
      operationId: 'kitAuthCompleteSignUp',
      summary: 'Creates the account of a sign-up with a provider, and returns a token',
      body: objectOf({ token: TEXT, nickname: TEXT, verifier: VERIFIER }, ['nickname', 'verifier']),
      login: true,
      errors: [EXTERNAL_LOGIN_FAILED, CONFLICT],
    },
    'POST oidc/{name}/link': forUser('kitAuthLinkIdentity', 'Begins to link an identity at a provider'),
    'POST oidc/{name}/fresh': forUser(
      'kitAuthFreshExternal',
      'Begins the confirmation of a login by its provider',
    ),
    'POST oidc/logout': {
      operationId: 'kitAuthExternalLogout',
      summary: 'Logs out. Returns the URL at which the user also logs out of the provider',
      answer: objectOf({ url: TEXT }, ['url']),
    },
    'POST oidc/{name}/backchannel-logout': {
      operationId: 'kitAuthBackchannelLogout',
      summary: 'Ends logins. For the provider only (OpenID Connect Back-Channel Logout 1.0)',
      answer: objectOf({}),
      errors: [TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
    },
    'GET identities': {
      operationId: 'kitAuthListIdentities',
      summary: "Lists the current user's identities at providers",
      answer: listOf(IDENTITY),
    },
    'DELETE identities/{id}': {
      operationId: 'kitAuthRemoveIdentity',
      summary: 'Removes an identity, unless the user could no longer log in',
      query: { endOthers: BOOLEAN },
      errors: [CONFLICT, NOT_IMPLEMENTED],
    },
    'GET users/{id}/identities': {
      operationId: 'kitAuthListUserIdentities',
      summary: "Lists a user's identities at providers",
      answer: listOf(IDENTITY),
    },
    'DELETE users/{id}/identities': {
      operationId: 'kitAuthRemoveUserIdentities',
      summary: "Removes a user's identities and ends their sessions",
    },
    'DELETE users/{id}/identities/{identityId}': {
      operationId: 'kitAuthRemoveUserIdentity',
      summary: 'Removes an identity of a user and ends their sessions',
    },
  },
});
