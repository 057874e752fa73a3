import type { LoginLimiter, LoginLimiterResult } from '../contract/login-limiter.js';

interface Entry {
  points: number;
  expiresAt: number;
  readonly lifeMs: number;
}

/** 1 point, 2 to 3, 4 to 7, 8 to 15, 16 to 31, and more. */
const LEVELS = 6;

/**
 * Counts in the memory of this process. The memory limiter of `rate-limiter-flexible` holds a timer and an entry for
 * every key until it expires. Here the number of keys is bounded. When it is reached, the keys with the fewest points
 * make room, and among them those that were used longest ago. A flood of new names therefore does not push out a name
 * that has failed often. No method waits for anything, which makes each of them atomic.
 */
export class BoundedLimiter implements LoginLimiter {
  /** Keys by points, each in the order of the last use. */
  private readonly levels = Array.from({ length: LEVELS }, () => new Map<string, Entry>());
  private count = 0;

  /** @param duration how long a key lives after its first point, in seconds */
  constructor(
    private readonly duration: number,
    private readonly maxKeys: number,
  ) {}

  get size(): number {
    return this.count;
  }

  async get(key: string): Promise<LoginLimiterResult | null> {
    const entry = this.take(key);
    return entry === undefined ? null : this.put(key, entry);
  }

  async set(key: string, points: number, seconds: number): Promise<LoginLimiterResult> {
    this.take(key);
    return this.put(key, newEntry(points, seconds));
  }

  async penalty(
    key: string,
    points = 1,
    { customDuration = this.duration }: { customDuration?: number } = {},
  ): Promise<LoginLimiterResult> {
    const entry = this.take(key) ?? newEntry(0, customDuration);
    entry.points += points;
    return this.put(key, entry);
  }

  /** Removes a key that has no points left. */
  async reward(key: string, points = 1): Promise<LoginLimiterResult> {
    const entry = this.take(key);
    if (entry === undefined || entry.points <= points) {
      return { consumedPoints: 0, msBeforeNext: 0 };
    }
    entry.points -= points;
    return this.put(key, entry);
  }

  async delete(key: string): Promise<boolean> {
    return this.take(key) !== undefined;
  }

  /** Removes and returns the live entry of a key. */
  private take(key: string): Entry | undefined {
    for (const level of this.levels) {
      const entry = level.get(key);
      if (entry !== undefined) {
        level.delete(key);
        this.count--;
        const now = Date.now();
        // A clock that was set back must not prolong a wait.
        entry.expiresAt = Math.min(entry.expiresAt, now + entry.lifeMs);
        return now < entry.expiresAt ? entry : undefined;
      }
    }
    return undefined;
  }

  private put(key: string, entry: Entry): LoginLimiterResult {
    const level = Math.min(LEVELS - 1, Math.floor(Math.log2(Math.max(1, entry.points))));
    this.levels[level]?.set(key, entry);
    this.count++;
    if (this.count > this.maxKeys) {
      this.makeRoom();
    }
    return { consumedPoints: entry.points, msBeforeNext: entry.expiresAt - Date.now() };
  }

  /**
   * Removes one percent at a time, because a Map walks over the gaps of earlier deletions to find its oldest entry.
   * Each level keeps a tenth of the room, so that new keys are counted however many old ones there are.
   */
  private makeRoom(): void {
    const toKeep = Math.floor(this.maxKeys / 10);
    let toGo = Math.ceil(this.maxKeys / 100);
    for (const level of this.levels) {
      for (const key of level.keys()) {
        if (toGo === 0 || level.size <= toKeep) {
          break;
        }
        level.delete(key);
        this.count--;
        toGo--;
      }
    }
  }
}

function newEntry(points: number, seconds: number): Entry {
  const lifeMs = seconds * 1000;
  return { points, expiresAt: Date.now() + lifeMs, lifeMs };
}
