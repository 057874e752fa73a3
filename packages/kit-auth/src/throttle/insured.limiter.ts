import { Logger } from '@nestjs/common';
import { WorkQueue } from '../context/work-queue.js';
import type { LoginLimiter, LoginLimiterResult } from '../contract/login-limiter.js';
import { withinDeadline } from '../errors/deadline.js';
import { describeError } from '../errors/describe.js';
import { TooBusyException } from '../errors/auth.exception.js';
import { Batches } from './batches.js';
import type { BoundedLimiter } from './bounded.limiter.js';

const DEADLINE_MS = 500;
const RETRY_MS = 1000;
/** Fewer than the connections of a typical pool. A call waits here, before its deadline starts. */
const MAX_AT_ONCE = 8;
const MAX_WAITING = 1000;

/** Permission to call the store. While it is unavailable, one call a second tries it; others do not wait for it. */
interface Permit {
  readonly isTrial: boolean;
}

/** Whether the application's store is available. All limiters over a store share this state. */
export class StoreState {
  private readonly logger = new Logger('KitAuth');
  private readonly calls = new WorkQueue(MAX_AT_ONCE);
  /** Why the store failed last. Undefined while it answers. */
  failure: unknown;
  private isAway = false;
  private nextTryAt = 0;

  permit(): Permit | undefined {
    if (!this.isAway) {
      return { isTrial: false };
    }
    const now = performance.now();
    if (now < this.nextTryAt) {
      return undefined;
    }
    this.nextTryAt = now + RETRY_MS;
    return { isTrial: true };
  }

  /**
   * Calls the store.
   *
   * @returns undefined when it did not answer in time, or failed while the call was waiting
   * @throws TooBusyException when too many calls are waiting
   */
  async ask<T>({ isTrial }: Permit, call: () => Promise<T>): Promise<{ answer: T } | undefined> {
    if (this.calls.length >= MAX_WAITING) {
      throw new TooBusyException(1);
    }
    return this.calls.run(undefined, async () => {
      if (this.isAway && !isTrial) {
        return undefined;
      }
      try {
        const answer = await withinDeadline(DEADLINE_MS, call());
        this.answered();
        return { answer };
      } catch (error) {
        this.failed(error);
        return undefined;
      }
    });
  }

  private answered(): void {
    if (this.isAway) {
      this.isAway = false;
      this.failure = undefined;
      this.logger.log('[auth] the store of the login throttle answers again');
    }
  }

  private failed(error: unknown): void {
    this.nextTryAt = performance.now() + RETRY_MS;
    this.failure = error;
    if (!this.isAway) {
      this.isAway = true;
      this.logger.error(
        '[auth] the store of the login throttle fails, every process counts by itself until it is back: ' +
          describeError(error),
      );
    }
  }
}

/**
 * A limiter over a store of the application. When the store does not answer in time, or returns an invalid result, this
 * process counts in its own memory. A store failure neither disables the throttle nor locks users out.
 *
 * A burst at one key must not slow the store down until it misses its deadline. Calls for one key therefore run one
 * after another, and waiting calls are merged. A key that has reached its limit is also stored in memory, so that it
 * stays limited when the store fails.
 */
export class InsuredLimiter implements LoginLimiter {
  private readonly gets = new Batches<LoginLimiterResult | null>();
  private readonly penalties = new Batches<LoginLimiterResult>();
  private readonly rewards = new Batches<LoginLimiterResult>();

  /** @param limit the points from which on a key is also stored in memory */
  constructor(
    private readonly store: LoginLimiter,
    private readonly local: BoundedLimiter,
    private readonly state: StoreState,
    private readonly limit: number,
  ) {}

  async get(key: string): Promise<LoginLimiterResult | null> {
    const { result } = await this.ask(
      this.gets,
      key,
      1,
      () => this.store.get(key).then((found) => found && checked(found)),
      () => this.local.get(key),
    );
    return result;
  }

  async set(key: string, points: number, seconds: number): Promise<LoginLimiterResult> {
    const here = await this.local.set(key, points, seconds);
    const permit = this.state.permit();
    const there = permit && (await this.state.ask(permit, () => this.store.set(key, points, seconds)));
    return there?.answer ?? here;
  }

  async penalty(key: string, points = 1, options?: { customDuration?: number }): Promise<LoginLimiterResult> {
    const { result, after } = await this.ask(
      this.penalties,
      key,
      points,
      (sum) => this.store.penalty(key, sum, options).then(checked),
      (sum) => this.local.penalty(key, sum, options),
    );
    return { consumedPoints: result.consumedPoints - after, msBeforeNext: result.msBeforeNext };
  }

  async reward(key: string, points = 1): Promise<LoginLimiterResult> {
    const here = await this.local.reward(key, points);
    const { result } = await this.ask(
      this.rewards,
      key,
      points,
      (sum) => this.store.reward(key, sum),
      () => Promise.resolve(here),
    );
    return result;
  }

  /** Also deletes the copy in memory. */
  async delete(key: string): Promise<boolean> {
    const wasHere = await this.local.delete(key);
    const permit = this.state.permit();
    const there = permit && (await this.state.ask(permit, () => this.store.delete(key)));
    return there === undefined ? wasHere : there.answer;
  }

  private async ask<T extends LoginLimiterResult | null>(
    batches: Batches<T>,
    key: string,
    points: number,
    ofStore: (points: number) => Promise<T>,
    ofMemory: (points: number) => Promise<T>,
  ): Promise<{ result: T; after: number }> {
    const permit = this.state.permit();
    if (permit === undefined) {
      return { result: await ofMemory(points), after: 0 };
    }
    return batches.join(key, points, async (sum) => {
      const found = await this.state.ask(permit, () => ofStore(sum));
      if (found === undefined) {
        return ofMemory(sum);
      }
      await this.remember(key, found.answer);
      return found.answer;
    });
  }

  private async remember(key: string, found: LoginLimiterResult | null): Promise<void> {
    if (found === null || found.consumedPoints < this.limit || found.msBeforeNext <= 0) {
      return;
    }
    const here = await this.local.get(key);
    if (here === null || here.consumedPoints < found.consumedPoints) {
      await this.local.set(key, found.consumedPoints, found.msBeforeNext / 1000);
    }
  }
}

/**
 * Refuses a count that is not a number: it would never reach a limit. A client of Redis that has been set up for it
 * answers with numbers as strings, which some limiters pass on.
 */
function checked(result: LoginLimiterResult): LoginLimiterResult {
  const [consumedPoints, msBeforeNext] = [numberOf(result.consumedPoints), numberOf(result.msBeforeNext)];
  if (!Number.isFinite(consumedPoints) || !Number.isFinite(msBeforeNext)) {
    throw new TypeError('the limiter returned an invalid result');
  }
  return { consumedPoints, msBeforeNext };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.parseFloat(String(value));
}
