import { noteThrottled } from '../diagnostics/channels.js';
import type { AuthThrottleMessage } from '../diagnostics/messages.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, retryAfterOf } from '../errors/auth.exception.js';
import type { LoginLimiter } from './login-limiter.js';

/** Refuses what a key does too often. */
export class RateLimit {
  constructor(
    private readonly counter: LoginLimiter,
    private readonly points: number,
    private readonly limit: AuthThrottleMessage['limit'],
  ) {}

  /** Takes a point of a key. @throws AuthException 42900 with `Retry-After` when it has none left */
  async count(key: string): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.counter.penalty(key);
    if (consumedPoints > this.points) {
      noteThrottled(this.limit);
      throw AuthException.refusal(AuthErrorCode.TOO_MANY_ATTEMPTS, {
        retryAfter: retryAfterOf(msBeforeNext),
      });
    }
  }
}
