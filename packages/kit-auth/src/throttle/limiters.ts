import type { LoginLimiter, LoginLimiterFactory, LoginLimiterOptions } from '../contract/login-limiter.js';
import type { LoginThrottleSettings } from '../contract/settings.js';
import { describeError } from '../errors/describe-error.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { BoundedLimiter } from './bounded.limiter.js';
import { InsuredLimiter, StoreState } from './insured.limiter.js';

const DAY_SECONDS = 24 * 60 * 60;
const METHODS = ['delete', 'get', 'penalty', 'reward', 'set'] as const satisfies (keyof LoginLimiter)[];

/** Three, so that in memory a flood of one kind of keys does not push out another. */
export interface Limiters {
  /** How often a key was tried; forgotten a day after the first time. */
  readonly failures: LoginLimiter;
  /** A gate is closed as long as its key is there. */
  readonly gates: LoginLimiter;
  /** Which addresses an account logged in from. */
  readonly known: LoginLimiter;
}

/** @throws IllegalStateException when the application's function makes nothing that can be used */
export function makeLimiters({ failures, maxWaitSeconds, limiter }: LoginThrottleSettings): Limiters {
  const state = new StoreState();
  const make = (kind: string, points: number, duration: number): LoginLimiter => {
    const local = new BoundedLimiter(duration);
    return limiter === undefined
      ? local
      : new InsuredLimiter(
          made(limiter, { keyPrefix: `kit-auth:login:${kind}`, points, duration }),
          local,
          state,
        );
  };
  return {
    failures: make('failures', failures, DAY_SECONDS),
    gates: make('gate', 1, maxWaitSeconds),
    known: make('known', 1, 30 * DAY_SECONDS),
  };
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
