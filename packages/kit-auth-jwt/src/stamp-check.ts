import type { UserId } from 'kit-auth';
import { type ActiveUserStore, invalidToken } from 'kit-auth/feature';
import { BoundedMap, isLeftByAnother } from 'kit-auth/tools';

const MAX_USERS = 50_000;
/** The meaning of `checkStamp: true`. */
const DEFAULT_SECONDS = 5;

interface Answer {
  readonly stamp: Promise<string | undefined>;
  readonly askedAt: number;
}

/** Compares stamps of tokens with current stamps, which it caches for some seconds (`kit.auth.jwt.checkStamp`). */
export class StampCheck {
  /** Oldest first. */
  private readonly answers = new BoundedMap<UserId, Answer>(MAX_USERS);
  private readonly maxAgeMs: number;

  constructor(
    private readonly users: ActiveUserStore,
    seconds: number | true,
  ) {
    this.maxAgeMs = (seconds === true ? DEFAULT_SECONDS : seconds) * 1000;
  }

  /**
   * @throws AuthException 40101 with the reason `revoked` when the user has another stamp now, is not enabled or is
   * unknown; 50300 when the user store does not answer
   */
  async check(userId: UserId, stamp: string | undefined): Promise<void> {
    try {
      if (stamp !== undefined && (await this.recent(userId)) === stamp) {
        return;
      }
    } catch (error) {
      if (isLeftByAnother(error)) {
        return this.check(userId, stamp);
      }
      throw error;
    }
    throw invalidToken('revoked');
  }

  forget(userId?: UserId): void {
    if (userId === undefined) {
      this.answers.clear();
    } else {
      this.answers.delete(userId);
    }
  }

  private recent(userId: UserId): Promise<string | undefined> {
    const known = this.answers.get(userId);
    const now = Date.now();
    if (known !== undefined && now - known.askedAt < this.maxAgeMs && now >= known.askedAt) {
      return known.stamp;
    }
    const stamp = this.users.stampOf(userId);
    this.answers.delete(userId);
    if (this.maxAgeMs > 0) {
      this.answers.set(userId, { stamp, askedAt: now });
      stamp.catch(() => this.answers.delete(userId));
    }
    return stamp;
  }
}
