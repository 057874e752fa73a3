import { Logger } from '@nestjs/common';
import { AUTH_ADDRESSES, type AuthAddresses } from '../contract/auth-addresses.js';
import { AUTH_CREDENTIAL, type AuthCredential } from '../contract/auth-credential.js';
import { AUTH_EVENT_SINK, type AuthEventSink } from '../contract/auth-event.js';
import { AUTH_MESSAGES, type AuthMessages } from '../contract/auth-messages.js';
import { AUTH_LOGINS, type AuthLogins } from '../contract/auth-logins.js';
import { AUTH_PROVIDER, type AuthProvider } from '../contract/auth-provider.js';
import type { AuthSessions } from '../contract/auth-sessions.js';
import { LOGIN_END_LISTENER, type LoginEndListener } from '../contract/login-end.js';
import type { LoginProof } from '../contract/login-proof.js';
import { AUTH_FACTOR, type Factor, type FactorOutcome } from '../contract/factor.js';
import { LOGIN_STEP, type LoginStep } from '../contract/login-step.js';
import { PASSWORD_HASHER, type PasswordHasher } from '../contract/password-hasher.js';
import { TOKEN_TRANSPORT, type TokenTransport } from '../contract/token-transport.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';

/** The result of a method, or of its promise. */
export interface Returned {
  /** Completes "it returned a string instead of ...". */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** The requirements for a method of a contribution. */
export interface MethodRule {
  /** Start-up fails without it. */
  readonly isRequired?: boolean;
  /** Whether the result is used as it is, so that a promise would count as one. */
  readonly isSync?: boolean;
  /** Any other result counts as a failure of the contribution. Default: any result will do. */
  readonly returns?: Returned;
  /** Whether it gets a function of the core to call. The time of that does not count as its own. */
  readonly callsBack?: boolean;
}

type MethodOf<T> = {
  [Name in keyof T]-?: NonNullable<T[Name]> extends (...args: never[]) => unknown ? Name : never;
}[keyof T];

/** An interface that contributions implement. */
export interface Port<T extends object> {
  readonly token: symbol;
  /** The name of the interface, for messages. */
  readonly contract: string;
  readonly methods: { readonly [Name in MethodOf<T>]: MethodRule };
  readonly properties: readonly Exclude<keyof T, MethodOf<T>>[];
  /** Whether a contribution without any of the methods does nothing, so that start-up fails. */
  readonly needsMethod?: boolean;
}

const TEXT_ID = /^[!-~]{1,128}$/;
const MAX_FACTORS = 16;
/** Constructors have a `prototype`. */
const FACTOR_NAME = /^(?!prototype$)[\w-]{1,32}$/;

export const NOTHING: Returned = {
  expected: 'nothing. To refuse, throw an AuthException',
  fits: (value) => value === undefined,
};
export const BOOLEAN: Returned = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
export const STRING: Returned = { expected: 'a string', fits: (value) => typeof value === 'string' };
export const NON_EMPTY_STRING: Returned = {
  expected: 'a string that is not empty',
  fits: (value) => typeof value === 'string' && value !== '',
};
export const STRINGS: Returned = {
  expected: 'a list of strings',
  fits: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};
export const LIST: Returned = { expected: 'a list', fits: Array.isArray };
export const OBJECT: Returned = { expected: 'an object', fits: isObject };

/** @param members members that must also be objects */
export function objectWith(expected: string, ...members: readonly string[]): Returned {
  return {
    expected,
    fits: (value) => isObject(value) && members.every((name) => isObject(Reflect.get(value, name))),
  };
}

export function orUndefined({ expected, fits }: Returned): Returned {
  return { expected: `${expected} or undefined`, fits: (value) => value === undefined || fits(value) };
}

/** Whether a value is an object, but not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a string can be the id of a user: 1 to 128 characters of printable ASCII, without spaces. */
export function isTextId(text: string): boolean {
  return TEXT_ID.test(text);
}

/** In an application that declares it, `UserId` is `string`. */
export function isText(id: unknown): id is string {
  return typeof id === 'string';
}

/** Whether these factors fit into every token: at most 16, each with a name and a time. */
export function isFactors(value: unknown): value is LoginProof['factors'] {
  const factors = isObject(value) ? Object.entries(value) : undefined;
  return (
    factors !== undefined &&
    factors.length <= MAX_FACTORS &&
    factors.every(([name, time]) => isFactor(name, time))
  );
}

/**
 * Whether a factor can have this name and this time, in seconds since 1970. A name that objects have without it, such as
 * `__proto__`, would be lost or misread when the factors are copied.
 */
export function isFactor(name: string, time: unknown): time is number {
  return FACTOR_NAME.test(name) && !(name in Object.prototype) && isFactorTime(time);
}

/** Whether a value is a valid factor timestamp: seconds since 1970. */
export function isFactorTime(time: unknown): time is number {
  return Number.isSafeInteger(time) && (time as number) >= 0;
}

const logger = new Logger('KitAuth');

/**
 * The error that a caller gets when a contribution to a port throws: its own `AuthException`, or 50300 for any other
 * error, which is logged without the token.
 */
export function failureOf(error: unknown, what: string, token = ''): AuthException {
  if (error instanceof AuthException) {
    return error;
  }
  const hidden = (text: string) => (token === '' ? text : text.replaceAll(token, '<token>'));
  logger.error(`[auth] ${what} failed: ${hidden(describeError(error))}`, ...stackOf(error));
  // Configuration errors are permanent, so no `Retry-After`.
  const retryAfter = error instanceof IllegalStateException ? undefined : 1;
  return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter, cause: error });
}

/** Runs a call to a contribution. @throws AuthException like `failureOf` */
export async function attempting<T>(what: string, work: () => Promise<T>, token?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error, what, token);
  }
}

const REQUIRED: MethodRule = { isRequired: true };
const MAYBE_STRING = orUndefined(STRING);
const LOGIN = objectWith('a login with user and proof', 'user', 'proof');
const OPENED = objectWith('an opened login with its proof', 'proof');

const DEFAULT_ORDER = 100;

/** Sorts contributions in ascending order. Those with the same order stay as they are. */
export function inOrder<T extends { readonly order?: number }>(contributions: readonly T[]): T[] {
  const orderOf = ({ order = DEFAULT_ORDER }: T) => order;
  return [...contributions].sort((a, b) => orderOf(a) - orderOf(b));
}

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
