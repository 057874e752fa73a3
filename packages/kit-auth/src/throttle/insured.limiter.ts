import { Logger } from '@nestjs/common';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import type { LoginLimiter } from '../contract/login-limiter.js';
import { describeError } from '../errors/describe-error.js';
import type { BoundedLimiter } from './bounded.limiter.js';

const DEADLINE_MS = 500;
const RETRY_MS = 1000;

/** Whether the application's store answers; one for all limiters over it, so that one of them finds out for all. */
export class StoreState {
  private readonly logger = new Logger('KitAuth');
  private isAway = false;
  private nextTryAt = 0;

  /** While the store is away one call a second tries it; no other has to wait for the deadline. */
  mayBeAsked(): boolean {
    if (!this.isAway) {
      return true;
    }
    const now = performance.now();
    if (now < this.nextTryAt) {
      return false;
    }
    this.nextTryAt = now + RETRY_MS;
    return true;
  }

  answered(): void {
    if (this.isAway) {
      this.isAway = false;
      this.logger.log('[auth] the store of the login throttle answers again');
    }
  }

  failed(error: unknown): void {
    this.nextTryAt = performance.now() + RETRY_MS;
    if (!this.isAway) {
      this.isAway = true;
      this.logger.error(
        `[auth] the store of the login throttle fails, every process counts by itself until it is back: ${describeError(error)}`,
      );
    }
  }
}

/**
 * A limiter over a store of the application. What the store does not answer in time, or answers with nonsense, this
 * process decides from its own memory: a store that is away neither opens the door nor locks everybody out.
 */
export class InsuredLimiter implements LoginLimiter {
  constructor(
    private readonly store: LoginLimiter,
    private readonly local: BoundedLimiter,
    private readonly state: StoreState,
  ) {}

  get(key: string): Promise<RateLimiterRes | null> {
    return this.ask((limiter) => limiter.get(key).then((found) => found && checked(found)));
  }

  set(key: string, points: number, seconds: number): Promise<RateLimiterRes> {
    return this.ask((limiter) => limiter.set(key, points, seconds));
  }

  penalty(key: string, points?: number, options?: { customDuration?: number }): Promise<RateLimiterRes> {
    return this.ask((limiter) => limiter.penalty(key, points, options).then(checked));
  }

  reward(key: string, points?: number): Promise<RateLimiterRes> {
    return this.ask((limiter) => limiter.reward(key, points));
  }

  /** Also of what was counted here while the store was away. */
  async delete(key: string): Promise<boolean> {
    const wasHere = await this.local.delete(key);
    return (await this.ask((limiter) => limiter.delete(key))) || wasHere;
  }

  private async ask<T>(call: (limiter: LoginLimiter) => Promise<T>): Promise<T> {
    if (this.state.mayBeAsked()) {
      try {
        const answer = await withinDeadline(call(this.store));
        this.state.answered();
        return answer;
      } catch (error) {
        this.state.failed(error);
      }
    }
    return call(this.local);
  }
}

/** A count that is no number would never reach a limit. */
function checked(result: RateLimiterRes): RateLimiterRes {
  if (!Number.isFinite(result.consumedPoints) || !Number.isFinite(result.msBeforeNext)) {
    throw new TypeError('the answer is no count');
  }
  return result;
}

async function withinDeadline<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}
