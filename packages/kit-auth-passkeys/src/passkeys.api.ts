import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { AuthErrorCode } from 'kit-auth';
import {
  BOOLEAN,
  choice,
  described,
  DEVICE_NAME,
  endpoints,
  INTEGER,
  list,
  NAME,
  object,
  optional,
  orNull,
  parsed,
  REMEMBER,
  type ServerOf,
  TEXT,
  TIME,
  value,
} from 'kit-auth/feature';
import { OWN_CHANGES } from 'kit-auth/login';
import { assertionOf, attestationOf } from './ceremonies/responses.js';

const { CONFLICT, FACTOR_FAILED, NOT_IMPLEMENTED, TOO_MANY_ATTEMPTS, USER_DISABLED } = AuthErrorCode;

const MAX_TOKEN = 1024;

const PASSKEY_INFO = {
  id: TEXT,
  /** The name that the user chose, or that of the authenticator. */
  name: NAME,
  createdAt: TIME,
  lastUsedAt: orNull(TIME),
  /** A copy exists, for example in the cloud of a password manager. */
  backedUp: described(BOOLEAN, 'Whether a copy exists, for example in a password manager'),
  /** `multi` if the passkey can be on several devices. */
  deviceType: choice('single', 'multi'),
  /** How browsers reach the authenticator: `internal`, `hybrid`, `usb` and so on. */
  transports: list(TEXT),
};
const OWN_PASSKEY = {
  ...PASSKEY_INFO,
  /** Arguments of `PublicKeyCredential.signal...()`. */
  signal: described(
    object({ rpId: TEXT, userId: TEXT, credentialId: TEXT }),
    'For PublicKeyCredential.signalUnknownCredential() and signalAllAcceptedCredentials()',
  ),
};

/** A passkey of a user. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface PasskeyInfo extends ServerOf<typeof PASSKEY_INFO> {}
/** A passkey of the current user. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface OwnPasskey extends ServerOf<typeof OWN_PASSKEY> {}
export const PASSKEY = object(PASSKEY_INFO);
export const OWN = object(OWN_PASSKEY);

const ceremonyWith = <Options>(type: string) => ({
  /** The token that represents the ceremony. */
  ceremony: TEXT,
  options: value<Options>({ type: 'object', description: `${type} of WebAuthn` }),
  /** Seconds since 1970. */
  expiresAt: described(INTEGER, 'In seconds since 1970'),
});
const CREATION = ceremonyWith<PublicKeyCredentialCreationOptionsJSON>(
  'PublicKeyCredentialCreationOptionsJSON',
);
const REQUEST = ceremonyWith<PublicKeyCredentialRequestOptionsJSON>('PublicKeyCredentialRequestOptionsJSON');

/** Arguments of `navigator.credentials.create()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface CreationCeremony extends ServerOf<typeof CREATION> {}
/** Arguments of `navigator.credentials.get()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface RequestCeremony extends ServerOf<typeof REQUEST> {}

const CEREMONY = parsed<string>(
  { type: 'string', description: 'From the answer with the options' },
  'be the string that came with the options',
  (it) => (typeof it === 'string' && it !== '' && it.length <= MAX_TOKEN ? it : undefined),
);
const credential = <T>(method: string, read: (response: unknown) => T) =>
  value<T>(
    {
      type: 'object',
      description: `The result of navigator.credentials.${method}(), as toJSON() returns it`,
    },
    read,
  );
const ASSERTION = {
  ceremony: CEREMONY,
  response: credential<AuthenticationResponseJSON>('get', assertionOf),
};
const FACTOR = choice('passkey');
const CHALLENGE = described(TEXT, 'From the answer 40112');
const OWN_CHANGE = { fresh: OWN_CHANGES, beforeEnrolment: true } as const;

export const passkeysApi = endpoints({
  'POST login/passkey/options': {
    id: 'kitAuthLoginPasskeyOptions',
    summary: 'Begins a login with a passkey',
    isPublic: true,
    status: 200,
    body: {},
    answer: object(REQUEST),
    errors: [TOO_MANY_ATTEMPTS],
  },
  'POST login/passkey': {
    id: 'kitAuthLoginPasskey',
    summary: 'Logs in with a passkey, and returns a token',
    isPublic: true,
    status: 200,
    body: { ...ASSERTION, remember: REMEMBER },
    readsBody: true,
    login: true,
    errors: [FACTOR_FAILED, USER_DISABLED, TOO_MANY_ATTEMPTS],
  },
  'POST login/factor/options': {
    id: 'kitAuthLoginFactorPasskeyOptions',
    summary: 'Begins the second step of a login with a passkey',
    isPublic: true,
    status: 200,
    body: { challenge: CHALLENGE, factor: FACTOR },
    answer: object(REQUEST),
    errors: [FACTOR_FAILED, TOO_MANY_ATTEMPTS],
  },
  'POST passkeys/options': {
    id: 'kitAuthAddPasskeyOptions',
    summary: 'Begins the registration of a passkey',
    ...OWN_CHANGE,
    status: 200,
    body: {},
    answer: object(CREATION),
    errors: [CONFLICT, TOO_MANY_ATTEMPTS, NOT_IMPLEMENTED],
  },
  'POST passkeys': {
    id: 'kitAuthAddPasskey',
    summary: 'Adds a passkey. Returns it with a new token',
    ...OWN_CHANGE,
    body: {
      endOthers: optional(described(BOOLEAN, 'Whether the other sessions of the user end')),
      ceremony: CEREMONY,
      response: credential<RegistrationResponseJSON>('create', attestationOf),
      name: optional(DEVICE_NAME),
    },
    login: true,
    answer: OWN,
    errors: [FACTOR_FAILED, CONFLICT, NOT_IMPLEMENTED],
  },
  'PATCH passkeys/{id}': {
    id: 'kitAuthRenamePasskey',
    summary: 'Renames a passkey',
    beforeEnrolment: true,
    body: { name: DEVICE_NAME },
    answer: OWN,
  },
});

export const passkeyAdditions = {
  'POST login/factor': { body: { challenge: CHALLENGE, factor: FACTOR, ...ASSERTION, remember: REMEMBER } },
  'POST fresh/options': { body: { factor: FACTOR }, answer: object(REQUEST) },
  'POST fresh': { body: { factor: FACTOR, ...ASSERTION } },
};
