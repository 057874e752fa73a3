import type { LoginThrottleSettings } from '../contract/settings.js';
import { Budget, type GateResult } from './budget.js';
import { type Counters, DAY_SECONDS, MAX_KEYS } from './counters.js';
import type { LoginLimiter } from '../contract/login-limiter.js';
import {
  addressKey,
  knownKey,
  ANY_UNLOCK_KEY,
  type Subject,
  throttleKeys,
  type ThrottleKeys,
  unlockKey,
} from './throttle.keys.js';

/** How long a device stays known after its last login. */
const KNOWN_SECONDS = 30 * DAY_SECONDS;
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

/** The reason why the password of an attempt is not compared. */
export interface Refusal {
  /** The key of the closed gate. */
  readonly key: string;
  readonly waitMs: number;
  readonly limit: 'login-account' | 'login-address';
}

interface Gate {
  readonly budget: Budget;
  readonly key: string;
}

interface KnownState {
  readonly keys: ThrottleKeys;
  readonly isKnown: boolean;
  readonly wasJustUnlocked: boolean;
}

/** One attempt to log in, and the counters that it has increased. */
export class Attempt {
  private readonly address: string | undefined;
  private known: KnownState | undefined;
  /** Whether the attempt is counted, but not yet as a failure that a success clears. */
  private isCounted = false;
  /** The gates that this attempt closed. */
  private closed: readonly Gate[] = [];
  /** The result for the budget of its device. */
  private device: GateResult | undefined;

  /** @param isPossible whether an account can have this name and password */
  constructor(
    private readonly limiters: Limiters,
    private readonly maxWaitSeconds: number,
    private readonly subject: Subject,
    private readonly isPossible: boolean,
  ) {
    this.address = addressKey(subject);
  }

  /**
   * Counts the attempt for its account and its address. The result does not depend on whether the account exists, or on
   * earlier logins from this address.
   *
   * @returns undefined when the password may be compared
   */
  async admit(): Promise<Refusal | undefined> {
    const { accounts, addresses } = this.limiters;
    const { address } = this;
    const atAddress = address === undefined ? 0 : await addresses.waitMs(address);
    if (address !== undefined && atAddress > 0) {
      return { key: address, waitMs: atAddress, limit: 'login-address' };
    }
    const { keys } = await this.recognise();
    const waitMs = await accounts.waitMs(keys.account);
    return waitMs > 0 ? { key: keys.account, waitMs, limit: 'login-account' } : this.count();
  }

  /** Whether a known device may be at this address: an account has logged in from it, or was just unlocked. */
  async mayHaveKnownDevice(): Promise<boolean> {
    const { loginAddresses } = this.limiters;
    if (this.address === undefined) {
      return false;
    }
    const found = await Promise.all([loginAddresses.get(this.address), loginAddresses.get(ANY_UNLOCK_KEY)]);
    return found.some((state) => state !== null);
  }

  /**
   * Whether the password of a refused attempt may be compared anyway: for a known device, within its own budget; at a
   * locked address, for an account that was just unlocked.
   */
  async mayBeKnown(refusal: Refusal | undefined): Promise<boolean> {
    const { accounts, devices } = this.limiters;
    const { keys, isKnown, wasJustUnlocked } = await this.recognise();
    if (!this.isPossible) {
      return false;
    }
    if (isKnown) {
      this.device ??= await devices.enter(keys.device);
      if (this.device.closedSeconds > 0) {
        await accounts.close(keys.lockedDevice, this.device.closedSeconds);
      }
      return this.device.waitMs === 0;
    }
    if (!wasJustUnlocked || refusal?.key !== this.address || (await accounts.waitMs(keys.account)) > 0) {
      return false;
    }
    return (await devices.enter(keys.unlocked)).waitMs === 0;
  }

  /** Whether this is the first attempt of a known device since its last success. */
  isFirstOfDevice(): boolean {
    return this.device?.count === 1;
  }

  /** Counts the attempt as a failure. A success clears it. */
  async fail(): Promise<void> {
    const { names, shares } = this.limiters;
    this.isCounted = false;
    if (this.isPossible) {
      const { keys } = await this.recognise();
      await Promise.all([names.penalty(keys.name), shares.penalty(keys.share)]);
    }
  }

  /** Removes the attempt from the counters, because its password was not compared. */
  async refund(): Promise<void> {
    const { accounts, addresses } = this.limiters;
    const { keys } = await this.recognise();
    await Promise.all([
      ...(this.isCounted && this.isPossible ? [accounts.giveBack(keys.account, 1)] : []),
      ...(this.isCounted && this.address !== undefined ? [addresses.giveBack(this.address, 1)] : []),
      this.refundDevice(),
      this.open(),
    ]);
    this.isCounted = false;
  }

  async refundDevice(): Promise<void> {
    const { keys } = await this.recognise();
    if (this.device?.waitMs === 0) {
      const { closedSeconds } = this.device;
      this.device = undefined;
      await this.limiters.devices.giveBack(keys.device, 1);
      if (closedSeconds > 0) {
        await this.limiters.devices.open(keys.device);
      }
    }
  }

  /**
   * Clears failures after a right password. Clears those of exactly this name: an attacker must not clear failures of
   * other accounts by logging in to an account of their own, or to one with a similar name. For a known device and for
   * the address, clears only the failures that they added themselves: a script of the owner must not clear an
   * attacker's.
   */
  async succeed(): Promise<void> {
    const { accounts, addresses, devices, names, shares, known, loginAddresses } = this.limiters;
    const { keys, isKnown } = await this.recognise();
    const own = this.isCounted ? 1 : 0;
    const ofShare = await claim(shares, keys.share);
    const ofName = isKnown
      ? Math.min(ofShare, (await names.get(keys.name))?.consumedPoints ?? 0)
      : await claim(names, keys.name);
    const device = knownKey(this.subject);
    await Promise.all([
      accounts.giveBack(keys.account, own + ofName),
      ...(isKnown && ofName > 0 ? [names.reward(keys.name, ofName)] : []),
      ...(this.address === undefined ? [] : [addresses.giveBack(this.address, own + ofShare)]),
      ...(isKnown ? [devices.forget(keys.device), accounts.open(keys.lockedDevice)] : []),
      ...(device === undefined || this.address === undefined
        ? []
        : [known.set(device, 1, KNOWN_SECONDS), loginAddresses.set(this.address, 1, KNOWN_SECONDS)]),
      this.open(),
    ]);
  }

  private async recognise(): Promise<KnownState> {
    if (this.known === undefined) {
      const { known, unlocks } = this.limiters;
      const device = knownKey(this.subject);
      const [unlocked, isKnown] = await Promise.all([
        unlocks.get(unlockKey(this.subject)),
        device === undefined ? null : known.get(device),
      ]);
      const sinceUnlockMs = UNLOCK_SECONDS * 1000 - (unlocked?.msBeforeNext ?? 0);
      this.known = {
        keys: throttleKeys(this.subject, unlocked?.consumedPoints ?? 0),
        isKnown: isKnown !== null,
        wasJustUnlocked: sinceUnlockMs < this.maxWaitSeconds * 1000,
      };
    }
    return this.known;
  }

  private async count(): Promise<Refusal | undefined> {
    const { accounts, addresses, devices } = this.limiters;
    const { keys, isKnown } = await this.recognise();
    const { address } = this;
    this.isCounted = true;
    const [ofAddress, ofAccount = 0, ofDevice = 0] = await Promise.all([
      address === undefined ? 0 : addresses.count(address),
      ...(this.isPossible ? [accounts.count(keys.account), isKnown ? devices.count(keys.device) : 0] : []),
    ]);
    if (isKnown && this.isPossible) {
      this.device = await devices.pass(keys.device, ofDevice);
    }
    for (const { budget, key, count } of [
      { budget: accounts, key: keys.account, count: ofAccount },
      ...(address === undefined ? [] : [{ budget: addresses, key: address, count: ofAddress }]),
    ]) {
      const { waitMs, closedSeconds } = await budget.pass(key, count);
      if (waitMs > 0) {
        // Another attempt passed at the same time. This one is a failure, and must not keep another gate closed.
        await Promise.all([this.fail(), this.open()]);
        return { key, waitMs, limit: key === address ? 'login-address' : 'login-account' };
      }
      if (closedSeconds > 0) {
        this.closed = [...this.closed, { budget, key }];
      }
    }
    return undefined;
  }

  private async open(): Promise<void> {
    const { closed } = this;
    this.closed = [];
    await Promise.all(closed.map(({ budget, key }) => budget.open(key)));
  }
}

/** Takes all points of a key. Of several parallel calls, one gets them. */
async function claim(limiter: LoginLimiter, key: string): Promise<number> {
  const points = (await limiter.get(key))?.consumedPoints ?? 0;
  return points > 0 && (await limiter.delete(key)) ? points : 0;
}
