import { RateLimiterRes } from 'rate-limiter-flexible';
import type { LoginLimiter } from '../contract/login-limiter.js';

interface Entry {
  points: number;
  expiresAt: number;
  readonly lifeMs: number;
}

const MOST_KEYS = 50_000;

/**
 * Counts in the memory of this process. The library's own memory limiter holds a timer and an entry for every key
 * until it expires; here the key that was used longest ago makes room, so that a flood of names costs nothing.
 * No method waits for anything, which makes each of them atomic.
 */
export class BoundedLimiter implements LoginLimiter {
  /** In the order of their last use. */
  private readonly entries = new Map<string, Entry>();

  /** @param duration how long a key lives after its first point, in seconds */
  constructor(
    private readonly duration: number,
    private readonly mostKeys = MOST_KEYS,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  async get(key: string): Promise<RateLimiterRes | null> {
    const entry = this.use(key);
    return entry === undefined ? null : resultOf(entry);
  }

  async set(key: string, points: number, seconds: number): Promise<RateLimiterRes> {
    return resultOf(this.put(key, points, seconds));
  }

  async penalty(
    key: string,
    points = 1,
    { customDuration = this.duration }: { customDuration?: number } = {},
  ): Promise<RateLimiterRes> {
    const entry = this.use(key);
    if (entry === undefined) {
      return resultOf(this.put(key, points, customDuration));
    }
    entry.points += points;
    return resultOf(entry);
  }

  async reward(key: string, points = 1): Promise<RateLimiterRes> {
    const entry = this.use(key);
    if (entry === undefined) {
      return new RateLimiterRes(0, 0, 0);
    }
    entry.points = Math.max(0, entry.points - points);
    return resultOf(entry);
  }

  async delete(key: string): Promise<boolean> {
    return this.entries.delete(key);
  }

  /** The live entry of a key, which becomes the one used last. */
  private use(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.entries.delete(key);
    const now = Date.now();
    if (now >= entry.expiresAt) {
      return undefined;
    }
    // A clock that was set back must not make a wait longer than it was meant to be.
    entry.expiresAt = Math.min(entry.expiresAt, now + entry.lifeMs);
    this.entries.set(key, entry);
    return entry;
  }

  private put(key: string, points: number, seconds: number): Entry {
    const lifeMs = seconds * 1000;
    const entry = { points, expiresAt: Date.now() + lifeMs, lifeMs };
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size > this.mostKeys) {
      this.makeRoom();
    }
    return entry;
  }

  /** One percent at a time: to find the oldest, a Map walks over every gap that deletions left before it. */
  private makeRoom(): void {
    let toGo = Math.ceil(this.mostKeys / 100);
    for (const key of this.entries.keys()) {
      if (toGo-- === 0) {
        break;
      }
      this.entries.delete(key);
    }
  }
}

function resultOf({ points, expiresAt }: Entry): RateLimiterRes {
  return new RateLimiterRes(0, expiresAt - Date.now(), points);
}
