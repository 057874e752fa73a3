import { channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { HttpException } from '@nestjs/common';
import { AuthErrorCode, type ErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import {
  type AuthDecisionMessage,
  type AuthHashMessage,
  type AuthLoginMessage,
  type AuthOpenReason,
  type AuthOperationMessage,
  type AuthOutcome,
  type AuthRefusalReason,
  type AuthResolveMessage,
  type AuthSocketMessage,
  type AuthStoreMessage,
  type AuthThrottleMessage,
  REFUSAL_REASONS,
} from './messages.js';

type Via = AuthDecisionMessage['via'];

const decisions = channel('kit-auth:decision');
const logins = channel('kit-auth:login');
const refusals = channel('kit-auth:throttle');
const sockets = channel('kit-auth:socket');

const TYPES: ReadonlySet<string> = new Set<Via>(['http', 'graphql', 'ws', 'rpc']);
const LOGIN_OUTCOMES = new Map<ErrorCode, AuthLoginMessage['outcome']>([
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

/** @returns what a guard does */
export function noteAdmitted(via: Via, scheme: string): true {
  if (decisions.hasSubscribers) {
    decisions.publish({ via, outcome: 'admitted', scheme } satisfies AuthDecisionMessage);
  }
  return true;
}

export function noteRefused(via: Via, error: unknown): void {
  if (decisions.hasSubscribers) {
    decisions.publish({ via, ...outcomeOf(error) } satisfies AuthDecisionMessage);
  }
}

/** Whether the channel of decisions has subscribers. */
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

/** @param reason why the server has refused or closed a socket */
export function noteSocket(
  via: AuthSocketMessage['via'],
  outcome: AuthSocketMessage['outcome'],
  reason?: string,
): void {
  if (sockets.hasSubscribers) {
    sockets.publish({
      via,
      outcome,
      ...(reason !== undefined && { reason: knownReason(reason) }),
    } satisfies AuthSocketMessage);
  }
}

/**
 * A kind of work that others can observe, on the tracing channel of its name. Other than with the methods of
 * `TracingChannel`, messages contain neither results nor errors, and work without a promise stays without.
 *
 * @example
 * return storeCalls.isObserved
 *   ? storeCalls.run({ store: 'keys', operation: 'find' }, () => this.load(id))
 *   : this.load(id);
 */
export class Operation<Message extends AuthOperationMessage> {
  private readonly channel: TracingChannel<unknown, Message>;

  constructor(name: string) {
    this.channel = tracingChannel<unknown, Message>(name);
  }

  /** Check this first, so that nothing is created without subscribers. */
  get isObserved(): boolean {
    return this.channel.hasSubscribers;
  }

  /** Runs work between the messages `start` and `end`, and `asyncStart` and `asyncEnd` if it returns a promise. */
  run<T>(message: Message, work: () => T): T {
    const { start, end, asyncStart, asyncEnd, error } = this.channel;
    const fail = (thrown: unknown): void => {
      Object.assign(message, outcomeOf(thrown));
      error.publish(message);
    };
    const settled = (): void => {
      asyncStart.publish(message);
      asyncEnd.publish(message);
    };
    return start.runStores(message, () => {
      try {
        const result = message.around === undefined ? work() : message.around(work);
        if (result instanceof Promise) {
          return result.then(
            (value: unknown) => {
              message.outcome = 'succeeded';
              settled();
              return value;
            },
            (thrown: unknown) => {
              fail(thrown);
              settled();
              throw thrown;
            },
          ) as T;
        }
        message.outcome = 'succeeded';
        return result;
      } catch (thrown) {
        fail(thrown);
        throw thrown;
      } finally {
        end.publish(message);
      }
    });
  }
}

export const resolutions = new Operation<AuthResolveMessage>('kit-auth:resolve');
export const hashes = new Operation<AuthHashMessage>('kit-auth:hash');
export const storeCalls = new Operation<AuthStoreMessage>('kit-auth:store');

const REASONS: ReadonlySet<string> = new Set(REFUSAL_REASONS);

/** The description of an error in messages. It contains no strings that a client or an application could choose. */
export function outcomeOf(error: unknown): AuthOutcome & { outcome: 'refused' | 'failed' } {
  const outcome = error instanceof HttpException && error.getStatus() < 500 ? 'refused' : 'failed';
  if (!(error instanceof AuthException)) {
    return { outcome };
  }
  const { code, reason } = error;
  return {
    outcome,
    ...(isOurs(code) && { code }),
    ...(reason !== undefined && { reason: knownReason(reason) }),
  };
}

function knownReason(reason: string): AuthRefusalReason {
  return REASONS.has(reason) ? (reason as AuthRefusalReason) : 'other';
}

function isOurs(code: ErrorCode): code is AuthErrorCode {
  return code in AuthErrorCode;
}
