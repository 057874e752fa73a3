/** The state of one key of a limiter. */
export interface LoginLimiterResult {
  /** How many points the key has. */
  readonly consumedPoints: number;
  /** How long the key still lives, in milliseconds. */
  readonly msBeforeNext: number;
}

/**
 * The methods of a limiter that the login throttle calls. Every limiter of `rate-limiter-flexible` that counts by
 * itself has them, and any other class with them works. Each method must be atomic across all instances of the
 * application.
 *
 * @example
 * limiter: (options) => new RateLimiterRedis({ ...options, storeClient: client, useRedisPackage: true })
 */
export interface LoginLimiter {
  /** The state of a key, or null when it has no points or has expired. */
  get(key: string): Promise<LoginLimiterResult | null>;
  /** Gives a key this many points, and this many seconds to live. */
  set(key: string, points: number, seconds: number): Promise<LoginLimiterResult>;
  /** Adds points. The first ones begin the life of the key: `duration` of the limiter, or `customDuration` seconds. */
  penalty(key: string, points?: number, options?: { customDuration?: number }): Promise<LoginLimiterResult>;
  /** Takes points back. The life of the key stays as it is. */
  reward(key: string, points?: number): Promise<LoginLimiterResult>;
  /** Forgets a key. Resolves to whether there was one. */
  delete(key: string): Promise<boolean>;
}

/** The options for the constructor of a limiter. Pass them together with the client of your store. */
export interface LoginLimiterOptions {
  /** Separates the counters of each kind, so that they can share one database or table. */
  keyPrefix: string;
  points: number;
  /** The duration in seconds. */
  duration: number;
}

export type LoginLimiterFactory = (options: LoginLimiterOptions) => LoginLimiter;
