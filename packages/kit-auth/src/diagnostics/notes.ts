import { channel } from 'node:diagnostics_channel';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type {
  AuthDecisionMessage,
  AuthLoginMessage,
  AuthOpenReason,
  AuthThrottleMessage,
} from './messages.js';
import { outcomeOf } from './outcome-of.js';

type Via = AuthDecisionMessage['via'];

const decisions = channel('kit-auth:decision');
const logins = channel('kit-auth:login');
const refusals = channel('kit-auth:throttle');

const TYPES: ReadonlySet<string> = new Set<Via>(['http', 'graphql', 'ws', 'rpc']);
const LOGIN_OUTCOMES = new Map<AuthErrorCode, AuthLoginMessage['outcome']>([
  [AuthErrorCode.LOGIN_FAILED, 'wrong-credentials'],
  [AuthErrorCode.USER_DISABLED, 'disabled'],
  [AuthErrorCode.SECOND_FACTOR_REQUIRED, 'second-factor-required'],
  [AuthErrorCode.FACTOR_FAILED, 'wrong-factor'],
  [AuthErrorCode.TOO_MANY_ATTEMPTS, 'throttled'],
]);

/** @param type of an execution context */
export function viaOf(type: string): Via {
  return TYPES.has(type) ? (type as Via) : 'other';
}

export function noteOpen(via: Via, reason: AuthOpenReason): void {
  if (decisions.hasSubscribers) {
    decisions.publish({ via, outcome: 'open', reason } satisfies AuthDecisionMessage);
  }
}

export function noteAdmitted(via: Via, scheme: string): void {
  if (decisions.hasSubscribers) {
    decisions.publish({ via, outcome: 'admitted', scheme } satisfies AuthDecisionMessage);
  }
}

export function noteRefused(via: Via, error: unknown): void {
  if (decisions.hasSubscribers) {
    decisions.publish({ via, ...outcomeOf(error) } satisfies AuthDecisionMessage);
  }
}

/** Whether anybody hears of decisions. */
export function areDecisionsObserved(): boolean {
  return decisions.hasSubscribers;
}

export function noteLogin(): void {
  if (logins.hasSubscribers) {
    logins.publish({ outcome: 'succeeded' } satisfies AuthLoginMessage);
  }
}

/** @param error why a login, or a step of it, did not succeed */
export function noteFailedLogin(error: unknown): void {
  if (logins.hasSubscribers) {
    const known = error instanceof AuthException ? LOGIN_OUTCOMES.get(error.code) : undefined;
    logins.publish({ outcome: known ?? outcomeOf(error).outcome } satisfies AuthLoginMessage);
  }
}

/** Call it wherever a limit refuses an attempt with 42900. */
export function noteThrottled(limit: AuthThrottleMessage['limit']): void {
  if (refusals.hasSubscribers) {
    refusals.publish({ limit } satisfies AuthThrottleMessage);
  }
}
