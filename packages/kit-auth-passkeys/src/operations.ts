import { AuthErrorCode } from 'kit-auth';
import {
  type AuthOperations,
  BOOLEAN,
  INTEGER,
  listOf,
  NAME,
  objectOf,
  orNull,
  type Schema,
  TEXT,
  TIME,
} from 'kit-auth/extend';

const { CONFLICT, FACTOR_FAILED, NOT_IMPLEMENTED, TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

const PASSKEY = {
  id: TEXT,
  name: NAME,
  createdAt: TIME,
  lastUsedAt: orNull(TIME),
  backedUp: { ...BOOLEAN, description: 'Whether a copy exists, for example in a password manager' },
  deviceType: { type: 'string', enum: ['single', 'multi'] },
  transports: listOf(TEXT),
} satisfies Record<string, Schema>;
const FACTOR: Schema = { type: 'string', enum: ['passkey'] };
const OWN_PASSKEY = {
  ...PASSKEY,
  signal: {
    ...objectOf({ rpId: TEXT, userId: TEXT, credentialId: TEXT }),
    description: 'For PublicKeyCredential.signalUnknownCredential() and signalAllAcceptedCredentials()',
  },
};

/** The endpoints of this package, for OpenAPI documents. */
export const passkeyOperations: AuthOperations = ({ cookies }) => {
  const ceremony: Schema = { ...TEXT, description: 'From the answer with the options' };
  const challenge: Schema = { ...TEXT, description: 'From the answer 40112' };
  const credential = (method: string): Schema => ({
    type: 'object',
    description: `The result of navigator.credentials.${method}(), as toJSON() returns it`,
  });
  const optionsFor = (type: string) =>
    objectOf({
      ceremony: TEXT,
      options: { type: 'object', description: `${type} of WebAuthn` },
      expiresAt: { ...INTEGER, description: 'In seconds since 1970' },
    });
  const remember = { ...(cookies && { remember: BOOLEAN }) };
  return {
    operations: {
      'POST login/passkey/options': {
        operationId: 'kitAuthLoginPasskeyOptions',
        summary: 'Begins a login with a passkey',
        body: objectOf({}),
        answer: optionsFor('PublicKeyCredentialRequestOptionsJSON'),
        errors: [TOO_MANY_ATTEMPTS],
      },
      'POST login/passkey': {
        operationId: 'kitAuthLoginPasskey',
        summary: 'Logs in with a passkey, and returns a token',
        body: objectOf({ ceremony, response: credential('get'), ...remember }, ['remember']),
        login: true,
        errors: [FACTOR_FAILED, USER_DISABLED, TOO_MANY_ATTEMPTS],
      },
      'POST login/factor/options': {
        operationId: 'kitAuthLoginFactorPasskeyOptions',
        summary: 'Begins the second step of a login with a passkey',
        body: objectOf({ challenge, factor: FACTOR }),
        answer: optionsFor('PublicKeyCredentialRequestOptionsJSON'),
        errors: [FACTOR_FAILED, TOO_MANY_ATTEMPTS],
      },
      'GET passkeys': {
        operationId: 'kitAuthListPasskeys',
        summary: "Lists the current user's passkeys",
        answer: listOf(objectOf(OWN_PASSKEY)),
      },
      'POST passkeys/options': {
        operationId: 'kitAuthAddPasskeyOptions',
        summary: 'Begins the registration of a passkey',
        body: objectOf({}),
        answer: optionsFor('PublicKeyCredentialCreationOptionsJSON'),
        errors: [CONFLICT, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
      },
      'POST passkeys': {
        operationId: 'kitAuthAddPasskey',
        summary: 'Adds a passkey. Returns it with a new token',
        body: objectOf(
          {
            ceremony,
            response: credential('create'),
            name: NAME,
            endOthers: { ...BOOLEAN, description: 'Whether the other sessions of the user end' },
          },
          ['name', 'endOthers'],
        ),
        login: true,
        answer: objectOf(OWN_PASSKEY),
        errors: [FACTOR_FAILED, CONFLICT, NOT_IMPLEMENTED],
      },
      'PATCH passkeys/{id}': {
        operationId: 'kitAuthRenamePasskey',
        summary: 'Renames a passkey',
        body: objectOf({ name: NAME }),
        answer: objectOf(OWN_PASSKEY),
      },
      'DELETE passkeys/{id}': {
        operationId: 'kitAuthRemovePasskey',
        summary: 'Removes a passkey, unless the user could no longer log in',
        query: { endOthers: BOOLEAN },
        errors: [CONFLICT, NOT_IMPLEMENTED],
      },
      'GET users/{id}/passkeys': {
        operationId: 'kitAuthListUserPasskeys',
        summary: "Lists a user's passkeys",
        answer: listOf(objectOf(PASSKEY)),
      },
      'DELETE users/{id}/passkeys': {
        operationId: 'kitAuthRemoveUserPasskeys',
        summary: "Removes a user's passkeys and ends their sessions",
      },
      'DELETE users/{id}/passkeys/{passkeyId}': {
        operationId: 'kitAuthRemoveUserPasskey',
        summary: 'Removes a passkey of a user and ends their sessions',
      },
    },
    additions: {
      'POST login/factor': {
        body: objectOf({ challenge, factor: FACTOR, ceremony, response: credential('get'), ...remember }, [
          'remember',
        ]),
      },
      'POST fresh/options': {
        body: objectOf({ factor: FACTOR }),
        answer: optionsFor('PublicKeyCredentialRequestOptionsJSON'),
      },
      'POST fresh': { body: objectOf({ factor: FACTOR, ceremony, response: credential('get') }) },
    },
  };
};
