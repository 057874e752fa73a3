import { AUTH_ADDRESSES, type AuthAddresses } from '../contract/auth-addresses.js';
import { AUTH_CREDENTIAL, type AuthCredential } from '../contract/auth-credential.js';
import { AUTH_EVENT_SINK, type AuthEventSink } from '../contract/auth-event.js';
import { AUTH_MESSAGES, type AuthMessages } from '../contract/auth-messages.js';
import { AUTH_LOGINS, type AuthLogins } from '../contract/auth-logins.js';
import { AUTH_PROVIDER, type AuthProvider } from '../contract/auth-provider.js';
import type { AuthSessions } from '../contract/auth-sessions.js';
import { LOGIN_END_LISTENER, type LoginEndListener } from '../contract/login-end.js';
import { AUTH_FACTOR, type Factor, type FactorOutcome } from '../contract/factor.js';
import { LOGIN_STEP, type LoginStep } from '../contract/login-step.js';
import { PASSWORD_HASHER, type PasswordHasher } from '../contract/password-hasher.js';
import { TOKEN_TRANSPORT, type TokenTransport } from '../contract/token-transport.js';
import {
  BOOLEAN,
  LIST,
  type MethodRule,
  NON_EMPTY_STRING,
  NOTHING,
  OBJECT,
  objectWith,
  orUndefined,
  type Port,
  STRING,
  STRINGS,
} from './port.js';

// The methods and properties of each port.

const REQUIRED: MethodRule = { isRequired: true };
const MAYBE_STRING = orUndefined(STRING);
const LOGIN = objectWith('a login with user and proof', 'user', 'proof');
const OPENED = objectWith('an opened login with its proof', 'proof');

export const PROVIDER: Port<AuthProvider> = {
  token: AUTH_PROVIDER,
  contract: 'AuthProvider',
  methods: {
    issueToken: { isRequired: true, returns: NON_EMPTY_STRING },
    resolveToken: REQUIRED, // `checkedLogin()` looks at what they return.
    resolve: {},
    replaceToken: { returns: NON_EMPTY_STRING },
    invalidate: REQUIRED,
    isIssuedFor: { isSync: true, returns: BOOLEAN },
    userChanged: { isSync: true },
  },
  properties: [
    'extensionName',
    'keepsProof',
    'lifetimeSeconds',
    'placeholders',
    'tokenPrefixes',
    'issuer',
    'sessions',
  ],
};

const SESSION_METHODS = {
  listOf: { isRequired: true, returns: LIST },
  currentId: { isRequired: true, isSync: true, returns: MAYBE_STRING },
  idOf: { isSync: true, returns: MAYBE_STRING },
  liveIdOf: { returns: MAYBE_STRING },
  end: REQUIRED,
  endAllOf: REQUIRED,
} as const;
const SESSION_PROPERTIES = ['endsInTransaction', 'inProcess'] as const;

/** `AuthProvider.sessions`. */
export const SESSIONS: Omit<Port<AuthSessions>, 'token'> = {
  contract: 'AuthSessions',
  methods: SESSION_METHODS,
  properties: SESSION_PROPERTIES,
};

export const LOGINS: Port<AuthLogins> = {
  token: AUTH_LOGINS,
  contract: 'AuthLogins',
  methods: {
    ...SESSION_METHODS,
    open: { isRequired: true, returns: OPENED },
    check: { isRequired: true, returns: NOTHING },
    renew: { returns: OPENED },
    endByRefreshToken: {},
  },
  properties: SESSION_PROPERTIES,
};

export const CREDENTIALS: Port<AuthCredential> = {
  token: AUTH_CREDENTIAL,
  contract: 'AuthCredential',
  methods: {
    resolve: REQUIRED,
    read: { isSync: true, returns: orUndefined(NON_EMPTY_STRING) },
    authorize: { returns: NOTHING },
    allows: { isSync: true },
    admitted: { isSync: true },
  },
  properties: ['prefix', 'issuers', 'authScheme', 'scheme', 'resourceMetadata'],
};

export const STEPS: Port<LoginStep> = {
  token: LOGIN_STEP,
  contract: 'LoginStep',
  methods: {
    around: { returns: LOGIN, callsBack: true },
    afterFirstFactor: { returns: orUndefined(objectWith('a proof with factors', 'factors')) },
    succeeded: {},
    opened: {},
  },
  properties: ['name', 'fields', 'order', 'timeoutMs'],
  needsMethod: true,
};

const OUTCOMES: readonly unknown[] = ['right', 'wrong', 'unreadable'] satisfies FactorOutcome[];

export const FACTORS: Port<Factor> = {
  token: AUTH_FACTOR,
  contract: 'Factor',
  methods: {
    has: { isRequired: true, returns: STRINGS },
    canLogIn: { returns: STRINGS },
    verify: {
      returns: { expected: `one of ${OUTCOMES.join(', ')}`, fits: (value) => OUTCOMES.includes(value) },
    },
    begin: { returns: orUndefined(OBJECT) },
    hint: { returns: OBJECT },
    isRequiredFor: { isSync: true, returns: BOOLEAN },
  },
  properties: ['names', 'confirms', 'second', 'order', 'timeoutMs'],
};

export const TRANSPORT: Port<TokenTransport> = {
  token: TOKEN_TRANSPORT,
  contract: 'TokenTransport',
  methods: {
    read: { isRequired: true, isSync: true, returns: MAYBE_STRING },
    readRefreshToken: { isSync: true, returns: MAYBE_STRING },
    admit: { isSync: true, returns: NOTHING },
    requireWritable: { isSync: true, returns: NOTHING },
    write: { isRequired: true, returns: OBJECT },
    clear: { isRequired: true, isSync: true },
    discard: { isSync: true },
  },
  properties: ['cookie', 'pages'],
};

export const ADDRESSES: Port<AuthAddresses> = {
  token: AUTH_ADDRESSES,
  contract: 'AuthAddresses',
  methods: { addressOf: REQUIRED, ownerOf: REQUIRED, keepVerified: REQUIRED },
  properties: [],
};

export const HASHER: Port<PasswordHasher> = {
  token: PASSWORD_HASHER,
  contract: 'PasswordHasher',
  methods: {
    hash: { isRequired: true, returns: STRING },
    verify: { isRequired: true, returns: BOOLEAN },
    isOutdated: { isRequired: true, isSync: true, returns: BOOLEAN },
    dummy: REQUIRED,
    expect: { isSync: true },
  },
  properties: ['maxBytes'],
};

export const END_LISTENERS: Port<LoginEndListener> = {
  token: LOGIN_END_LISTENER,
  contract: 'LoginEndListener',
  methods: { ended: { isRequired: true, isSync: true } },
  properties: [],
};

export const MESSAGES: Port<AuthMessages> = {
  token: AUTH_MESSAGES,
  contract: 'AuthMessages',
  methods: {
    principalOf: { isRequired: true, returns: orUndefined(objectWith('a principal', 'user', 'proof')) },
    refusal: { isSync: true },
  },
  properties: ['types'],
};

export const SINKS: Port<AuthEventSink> = {
  token: AUTH_EVENT_SINK,
  contract: 'AuthEventSink',
  methods: { keep: REQUIRED, keepAll: {}, committed: {} },
  properties: ['ignores'],
};
