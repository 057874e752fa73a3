import type { LoginLimiter } from '../contract/login-limiter.js';
import type { Budget, Passage } from './budget.js';
import { KNOWN_SECONDS, type Limiters, UNLOCK_SECONDS } from './limiters.js';
import {
  addressKey,
  knownKey,
  PARDON_KEY,
  type Subject,
  throttleKeys,
  type ThrottleKeys,
  unlockKey,
} from './throttle.keys.js';

/** Why an attempt does not come to a check of its password. */
export interface Refusal {
  /** Of the gate that is closed. */
  readonly key: string;
  readonly waitMs: number;
}

interface Gate {
  readonly budget: Budget;
  readonly key: string;
}

interface Recognised {
  readonly keys: ThrottleKeys;
  readonly isKnown: boolean;
  readonly wasJustUnlocked: boolean;
}

/** One attempt to log in, and what it is counted on. */
export class Attempt {
  private readonly address: string | undefined;
  private recognised: Recognised | undefined;
  /** Whether it is counted, and not yet among the failures that a success makes good. */
  private isCounted = false;
  /** The gates that it closed. */
  private closed: readonly Gate[] = [];
  /** How it fared with the budget of its device. */
  private device: Passage | undefined;

  /** @param isPossible whether any account could have its name and password */
  constructor(
    private readonly limiters: Limiters,
    private readonly maxWaitSeconds: number,
    private readonly subject: Subject,
    private readonly isPossible: boolean,
  ) {
    this.address = addressKey(subject);
  }

  /**
   * Counts the attempt by its account and its address. Whether the account exists, and whether it ever logged in from
   * here, makes no difference to the outcome.
   *
   * @returns undefined when its password may be looked at
   */
  async admit(): Promise<Refusal | undefined> {
    const { accounts, addresses } = this.limiters;
    const { address } = this;
    const atAddress = address === undefined ? 0 : await addresses.waitMs(address);
    if (address !== undefined && atAddress > 0) {
      return { key: address, waitMs: atAddress };
    }
    const { keys } = await this.recognise();
    const waitMs = await accounts.waitMs(keys.account);
    return waitMs > 0 ? { key: keys.account, waitMs } : this.count();
  }

  /** Whether somebody may be at home here: an account logged in from this address, or was just unlocked. */
  async isAtHome(): Promise<boolean> {
    const { homes } = this.limiters;
    if (this.address === undefined) {
      return false;
    }
    const found = await Promise.all([homes.get(this.address), homes.get(PARDON_KEY)]);
    return found.some((it) => it !== null);
  }

  /**
   * Whether the password of a refused attempt may be looked at all the same: for a known device, within a budget of
   * its own; and where the address is locked, for an account that was just unlocked.
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
    return (await devices.enter(keys.pardon)).waitMs === 0;
  }

  /** Whether it is the first that a known device makes since its last success. */
  isFirstOfDevice(): boolean {
    return this.device?.count === 1;
  }

  /** Adds the attempt to the failures that a success makes good. */
  async fail(): Promise<void> {
    const { names, shares } = this.limiters;
    this.isCounted = false;
    if (this.isPossible) {
      const { keys } = await this.recognise();
      await Promise.all([names.penalty(keys.name), shares.penalty(keys.share)]);
    }
  }

  /** Takes the attempt back: its password was not looked at. */
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
   * The password was right. The account gets back what was counted for this very name: neither an account of one's own
   * nor one that is called almost like another pays for guesses at others. A known device gets back what it added
   * itself, or else a script of the owner would pay for guesses from elsewhere. So does the address.
   */
  async succeed(): Promise<void> {
    const { accounts, addresses, devices, names, shares, known, homes } = this.limiters;
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
        : [known.set(device, 1, KNOWN_SECONDS), homes.set(this.address, 1, KNOWN_SECONDS)]),
      this.open(),
    ]);
  }

  private async recognise(): Promise<Recognised> {
    if (this.recognised === undefined) {
      const { known, unlocks } = this.limiters;
      const device = knownKey(this.subject);
      const [unlocked, isKnown] = await Promise.all([
        unlocks.get(unlockKey(this.subject)),
        device === undefined ? null : known.get(device),
      ]);
      const sinceUnlockMs = UNLOCK_SECONDS * 1000 - (unlocked?.msBeforeNext ?? 0);
      this.recognised = {
        keys: throttleKeys(this.subject, unlocked?.consumedPoints ?? 0),
        isKnown: isKnown !== null,
        wasJustUnlocked: sinceUnlockMs < this.maxWaitSeconds * 1000,
      };
    }
    return this.recognised;
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
        // Another attempt got through at the same time. This one counts, and must not keep another gate closed.
        await Promise.all([this.fail(), this.open()]);
        return { key, waitMs };
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

/** Takes all points of a key. Of several who try at once, one gets them. */
async function claim(limiter: LoginLimiter, key: string): Promise<number> {
  const points = (await limiter.get(key))?.consumedPoints ?? 0;
  return points > 0 && (await limiter.delete(key)) ? points : 0;
}
