import type { LoginLimiter, LoginLimiterFactory, LoginLimiterOptions } from '../contract/login-limiter.js';
import type { LoginThrottleSettings } from '../contract/settings.js';
import { describeError } from '../errors/describe-error.js';
import { IllegalStateException } from '../errors/illegal-state.exception.js';
import { BoundedLimiter } from './bounded.limiter.js';
import { Budget } from './budget.js';
import { InsuredLimiter, StoreState } from './insured.limiter.js';

const MAX_KEYS = 25_000;
const DAY_SECONDS = 24 * 60 * 60;
/** How long a device stays known after its last login. */
export const KNOWN_SECONDS = 30 * DAY_SECONDS;
/** Longer than the life of any counter, so that counters which an unlock has reset do not come back. */
export const UNLOCK_SECONDS = 2 * DAY_SECONDS;
const METHODS = ['delete', 'get', 'penalty', 'reward', 'set'] as const satisfies (keyof LoginLimiter)[];

/** Each kind of keys has its own bounded memory, so that a flood of one kind does not evict the others. */
export interface Limiters {
  readonly accounts: Budget;
  readonly addresses: Budget;
  /** For known devices and for unlocked accounts. */
  readonly devices: Budget;
  readonly names: LoginLimiter;
  readonly shares: LoginLimiter;
  /** Known devices: an account and an address that it has logged in from. */
  readonly known: LoginLimiter;
  /** Addresses that any account has logged in from. */
  readonly loginAddresses: LoginLimiter;
  /** The number of unlocks of an account. */
  readonly unlocks: LoginLimiter;
}

/** @throws IllegalStateException when the application's function does not return a limiter */
export function makeLimiters(settings: LoginThrottleSettings): Limiters {
  const { failures, addressFailures, maxWaitSeconds, limiter } = settings;
  const state = new StoreState();
  const kind = (name: string, points: number, duration: number) => {
    const store = limiter && made(limiter, { keyPrefix: `kit-auth:login:${name}`, points, duration });
    return (limit = points, maxKeys = MAX_KEYS): LoginLimiter => {
      const local = new BoundedLimiter(duration, maxKeys);
      return store === undefined ? local : new InsuredLimiter(store, local, state, limit);
    };
  };
  const counts = kind('failures', failures, DAY_SECONDS);
  const gates = kind('gate', 1, maxWaitSeconds);
  const known = kind('known', 1, KNOWN_SECONDS);
  return {
    accounts: new Budget(counts(), gates(), failures, maxWaitSeconds),
    addresses: new Budget(counts(addressFailures), gates(), addressFailures, maxWaitSeconds),
    devices: new Budget(counts(), gates(), failures, maxWaitSeconds),
    names: counts(failures, MAX_KEYS / 2),
    shares: counts(failures, MAX_KEYS / 2),
    known: known(),
    loginAddresses: known(),
    unlocks: known(),
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
