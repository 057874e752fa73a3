import { Inject, Injectable } from '@nestjs/common';
import type { LoginLimiter, LoginLimiterFactory, LoginLimiterOptions } from '../contract/login-limiter.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginThrottleSettings } from '../contract/settings.js';
import type { AuthThrottleMessage } from '../diagnostics/messages.js';
import { describeError } from '../errors/describe.js';
import { noteThrottled } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException, retryAfterOf } from '../errors/auth.exception.js';
import { BoundedLimiter } from './bounded.limiter.js';
import { Budget } from './budget.js';
import { InsuredLimiter, StoreState } from './insured.limiter.js';

/** The maximum number of keys of a counter in memory. */
export const MAX_KEYS = 25_000;
export const DAY_SECONDS = 24 * 60 * 60;
/** The waits of a budget if the login throttle is disabled. */
const DEFAULT_WAITS = { failures: 5, maxWaitSeconds: 900 };
const METHODS = ['delete', 'get', 'penalty', 'reward', 'set'] as const satisfies (keyof LoginLimiter)[];

/** Makes a counter of a kind. @param limit how many points a key may have; default: `points` */
type MakeCounter = (limit?: number, maxKeys?: number) => LoginLimiter;

/**
 * 42900 with `Retry-After`, which is also reported on the diagnostics channel.
 *
 * @param limit names the limit on the channel
 */
export function tooManyAttempts(limit: AuthThrottleMessage['limit'], waitMs: number): AuthException {
  noteThrottled(limit);
  return AuthException.refusal(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: retryAfterOf(waitMs) });
}

/** Refuses what a key does too often. */
export class RateLimit {
  constructor(
    private readonly counter: LoginLimiter,
    private readonly points: number,
    private readonly limit: AuthThrottleMessage['limit'],
  ) {}

  /** Takes a point of a key. @throws AuthException 42900 with `Retry-After` when it has none left */
  async count(key: string): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.counter.penalty(key);
    if (consumedPoints > this.points) {
      throw tooManyAttempts(this.limit, msBeforeNext);
    }
  }
}

/**
 * Makes counters over the store of `kit.auth.login.throttle.limiter`, which all instances of the application share, or
 * in the memory of this process. Without the throttle of the login they are in memory.
 *
 * @example
 * ```ts
 * // In onModuleInit(): `limiter` of the application may fail.
 * this.perHour = this.counters.make('exports', 20, 60 * 60);
 * const { consumedPoints } = await this.perHour.penalty(networkOf(address) ?? 'unknown');
 * ```
 */
@Injectable()
export class Counters {
  private readonly limiter: LoginLimiterFactory | undefined;
  private readonly waits: Pick<LoginThrottleSettings, 'failures' | 'maxWaitSeconds'>;
  private readonly state = new StoreState();

  constructor(@Inject(KIT_AUTH_SETTINGS) { login: { throttle } }: Pick<KitAuthSettings, 'login'>) {
    this.limiter = throttle === false ? undefined : throttle.limiter;
    this.waits = throttle === false ? DEFAULT_WAITS : throttle;
  }

  /**
   * Makes a counter.
   *
   * @param name separates its keys from other counters
   * @param points how many a key may have. The counter itself refuses nothing
   * @param duration how long a key lives after its first point, in seconds
   * @throws IllegalStateException when the application's function does not return a limiter
   */
  make(name: string, points: number, duration: number): LoginLimiter {
    return this.kind(name, points, duration)();
  }

  /**
   * Makes a counter that refuses a key without points.
   *
   * @param name as for `make()`, like `points` and `duration`
   * @param limit names the limit on the diagnostics channel
   * @throws IllegalStateException when the application's function does not return a limiter
   */
  limit(name: string, points: number, duration: number, limit: AuthThrottleMessage['limit']): RateLimit {
    return new RateLimit(this.make(name, points, duration), points, limit);
  }

  /**
   * Makes a budget of attempts with the waits of the login throttle, for guesses of codes and other secrets. If the throttle
   * is disabled, the budget has the default waits.
   *
   * @param name separates its keys from other budgets
   * @throws IllegalStateException when the application's function does not return a limiter
   * @example
   * ```ts
   * // In onModuleInit():
   * this.budget = this.counters.budget('pin');
   * // Before a code is compared:
   * const { waitMs } = await this.budget.enter(String(userId));
   * if (waitMs > 0) {
   *   throw new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: Math.ceil(waitMs / 1000) });
   * }
   * // After a right code:
   * await this.budget.forget(String(userId));
   * ```
   */
  budget(name: string): Budget {
    const { failures, maxWaitSeconds } = this.waits;
    const counts = this.make(`${name}:failures`, failures, DAY_SECONDS);
    return new Budget(counts, this.make(`${name}:gate`, 1, maxWaitSeconds), failures, maxWaitSeconds);
  }

  /**
   * Why the application's limiter failed last, so that this process counts in its own memory. Undefined while it answers,
   * and where there is none.
   */
  get failure(): unknown {
    return this.state.failure;
  }

  /**
   * Like `make()`, for counters that share one limiter of the application.
   *
   * @internal
   */
  kind(name: string, points: number, duration: number): MakeCounter {
    const { limiter, state } = this;
    const store = limiter && made(limiter, { keyPrefix: `kit-auth:${name}`, points, duration });
    return (limit = points, maxKeys = MAX_KEYS) => {
      const local = new BoundedLimiter(duration, maxKeys);
      return store === undefined ? local : new InsuredLimiter(store, local, state, limit);
    };
  }
}

function made(limiter: LoginLimiterFactory, options: LoginLimiterOptions): LoginLimiter {
  let store: unknown;
  try {
    store = limiter(options);
  } catch (cause) {
    throw new IllegalStateException(`kit.auth.login.throttle.limiter fails: ${describeError(cause)}`, {
      cause,
    });
  }
  const candidate = (store ?? {}) as Partial<Record<keyof LoginLimiter, unknown>>;
  if (METHODS.some((method) => typeof candidate[method] !== 'function')) {
    throw new IllegalStateException(
      'kit.auth.login.throttle.limiter must make a limiter of rate-limiter-flexible, such as RateLimiterRedis',
    );
  }
  return store as LoginLimiter;
}
