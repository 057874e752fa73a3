import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** What the login throttle uses of a limiter. Every limiter of `rate-limiter-flexible` that counts alone has it. */
export type LoginLimiter = Pick<RateLimiterAbstract, 'delete' | 'get' | 'penalty' | 'reward' | 'set'>;

/** What a limiter has to be made with: pass it on to its constructor, together with the client of your store. */
export interface LoginLimiterOptions {
  /** Keeps what the throttle counts in three limiters apart, so they may share one database or table. */
  keyPrefix: string;
  points: number;
  /** In seconds. */
  duration: number;
}

export type LoginLimiterFactory = (options: LoginLimiterOptions) => LoginLimiter;
