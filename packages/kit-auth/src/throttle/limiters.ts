import type { LoginLimiter } from './login-limiter.js';
import type { LoginThrottleSettings } from '../contract/settings.js';
import { Budget } from './budget.js';
import { type Counters, DAY_SECONDS, MAX_KEYS } from './counters.js';

/** How long a device stays known after its last login. */
export const KNOWN_SECONDS = 30 * DAY_SECONDS;
/** Longer than the life of any counter, so that counters which an unlock has reset do not come back. */
export const UNLOCK_SECONDS = 2 * DAY_SECONDS;

/** Each kind of keys has its own bounded memory, so that a flood of one kind does not evict the others. */
export interface Limiters {
  readonly accounts: Budget;
  readonly addresses: Budget;
  /** Limits of known devices and unlocked accounts. */
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
export function makeLimiters(settings: LoginThrottleSettings, counters: Counters): Limiters {
  const { failures, addressFailures, maxWaitSeconds } = settings;
  const counts = counters.kind('login:failures', failures, DAY_SECONDS);
  const gates = counters.kind('login:gate', 1, maxWaitSeconds);
  const known = counters.kind('login:known', 1, KNOWN_SECONDS);
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
