import { AuthErrorCode, AuthException } from 'kit-auth';
import { type ActiveUserStore } from 'kit-auth/extend';

const MOST_USERS = 50_000;
/** What `checkStamp: true` stands for. */
const DEFAULT_SECONDS = 5;

/** Security stamps as they were at most so many seconds ago (`kit.auth.jwt.checkStamp`). */
export class StampCheck {
  /** In the order in which they were asked for, which is that in which they become too old. */
  private readonly answers = new Map<number, { stamp: Promise<string | undefined>; askedAt: number }>();
  private readonly maxAgeMs: number;

  constructor(
    private readonly users: ActiveUserStore,
    seconds: number | true,
  ) {
    this.maxAgeMs = (seconds === true ? DEFAULT_SECONDS : seconds) * 1000;
  }

  /**
   * @throws AuthException 40101 with the reason `revoked` when the user has another stamp now, is not enabled or is
   * gone; what the database throws where it does not answer
   */
  async check(userId: number, stamp: string | undefined): Promise<void> {
    if (stamp === undefined || (await this.recent(userId)) !== stamp) {
      throw AuthException.refusal(AuthErrorCode.TOKEN_INVALID, { reason: 'revoked' });
    }
  }

  /** As it is now. @returns undefined when the user is not enabled or is gone */
  stampOf(userId: number): Promise<string | undefined> {
    return this.users.stampOf(userId);
  }

  forget(userId?: number): void {
    if (userId === undefined) {
      this.answers.clear();
    } else {
      this.answers.delete(userId);
    }
  }

  private recent(userId: number): Promise<string | undefined> {
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
      if (this.answers.size > MOST_USERS) {
        const [oldest] = this.answers.keys();
        this.answers.delete(oldest as number);
      }
    }
    return stamp;
  }
}
