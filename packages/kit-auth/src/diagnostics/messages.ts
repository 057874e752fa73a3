import type { AuthErrorCode } from '../errors/auth-error-code.js';

/**
 * Why a request needed no token. `optional`: the route has `@OptionalUser()`, or a pattern of `optional`, and the request
 * had no token, or an invalid one that is ignored. `message`: a message of a gateway or a microservice, which carries none.
 */
export type AuthOpenReason = 'public' | 'white-list' | 'optional' | 'path' | 'default' | 'message';

/** The reasons of refusals. `other` stands for reasons of the application and of other packages. */
export const REFUSAL_REASONS = [
  'malformed',
  'signature',
  'expired',
  'revoked',
  'missing',
  'logged-out',
  'kicked',
  'password-changed',
  'address-changed',
  'disabled',
  'replaced',
  'idle',
  'reused',
  'too-many-attempts',
  'session-limit',
  'challenge-ended',
  'origin',
  'forbidden',
  'another-login',
  'not-fresh',
  'too-late',
  'too-many-sockets',
  'too-many-waiting',
  'too-many-refusals',
  'unavailable',
  'unknown',
  'other',
] as const;

export type AuthRefusalReason = (typeof REFUSAL_REASONS)[number];

/** How something ended. `refused`: the caller may not do it. `failed`: it could not be found out. */
export interface AuthOutcome {
  outcome?: 'succeeded' | 'refused' | 'failed';
  /** The error code of kit-auth, for a refusal or failure that has one. */
  code?: AuthErrorCode;
  /** The reason of a refusal, if it has one. */
  reason?: AuthRefusalReason;
}

/** On the tracing channels. The message `start` has no outcome yet: the last message has it. */
export interface AuthOperationMessage extends AuthOutcome {
  /**
   * Subscribers of `start` can set it, to run the work in a context of their own. (`start.bindStore()` does the same for
   * an `AsyncLocalStorage`.) It calls `work` once, at once, and returns its result. If it is set already, call that one
   * within yours.
   */
  around?: <T>(work: () => T) => T;
}

/** Message on `kit-auth:decision`: the outcome of a request. */
export interface AuthDecisionMessage {
  /** The type of the execution context, or `manager` for `AuthManager.getLoginUser()`. */
  readonly via: 'http' | 'graphql' | 'ws' | 'rpc' | 'other' | 'manager';
  readonly outcome: 'open' | 'admitted' | 'refused' | 'failed';
  readonly code?: AuthErrorCode;
  readonly reason?: AuthOpenReason | AuthRefusalReason;
  /** With `admitted`: what resolved the token, for example `jwt-stateless` or `api-key`. */
  readonly scheme?: string;
}

/**
 * On `kit-auth:login`: how a login has ended, or one of its steps. `wrong-credentials` does not tell whether the account
 * exists. `failed`: the database does not answer, or the password queue is full.
 */
export interface AuthLoginMessage {
  readonly outcome:
    | 'succeeded'
    | 'wrong-credentials'
    | 'disabled'
    | 'second-factor-required'
    | 'wrong-factor'
    | 'throttled'
    | 'refused'
    | 'failed';
}

/** On `kit-auth:throttle`: an attempt was refused, because there were too many before. */
export interface AuthThrottleMessage {
  readonly limit:
    'login-account' | 'login-address' | 'fresh' | 'factor' | 'passkey' | 'oidc' | 'mail' | 'sessions';
}

/** On `kit-auth:resolve`: a token is resolved to its user. */
export interface AuthResolveMessage extends AuthOperationMessage {
  readonly scheme: string;
}

/** On `kit-auth:hash`: a password is hashed, or compared with a hash. */
export interface AuthHashMessage extends AuthOperationMessage {
  readonly operation: 'hash' | 'verify';
  /** How long it waited for its turn, in seconds. Undefined before, and where the turn never came. */
  waited?: number;
}

/** On `kit-auth:store`: users, sessions, logins or API keys are looked up. */
export interface AuthStoreMessage extends AuthOperationMessage {
  readonly store: 'users' | 'sessions' | 'logins' | 'keys';
  /** The method of the store. */
  readonly operation: string;
}

/** On `kit-auth:socket`: what happens to the sockets of `kit-auth-sockets`. */
export interface AuthSocketMessage {
  readonly via: 'ws' | 'socket.io' | 'graphql' | 'sse';
  readonly outcome: 'opened' | 'closed' | 'refused';
  /** Why the server has refused or closed it. Absent if the client has left. */
  readonly reason?: AuthRefusalReason;
}
