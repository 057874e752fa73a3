import { Injectable, type OnModuleInit, Inject } from '@nestjs/common';
import {
  type AuthAction,
  AuthErrorCode,
  AuthException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginUser,
  type UserId,
} from 'kit-auth';
import { type Budget, Counters, noteThrottled, ownerOf, retryAfterOf } from 'kit-auth/extend';

/** `unreadable`: the code could not be compared, because the secret cannot be decrypted. */
export type Outcome = 'right' | 'wrong' | 'unreadable';

/** A code that a user shows. */
export interface Guess {
  readonly user: LoginUser;
  readonly factor: string;
  readonly action: AuthAction;
  /** Whether the code is for a device that is being added. It has a budget of its own. */
  readonly isNew?: boolean;
}

/** Limits the wrong codes of an account. A guess is counted before the code is compared. */
@Injectable()
export class FactorGuesses implements OnModuleInit {
  private budget!: Budget;

  constructor(
    private readonly counters: Counters,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: Pick<KitAuthSettings, 'enabled'>,
  ) {}

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.settings.enabled) {
      this.budget = this.counters.budget('factor');
    }
  }

  /**
   * @param compare compares the code. If it rejects, the guess does not count
   * @throws AuthException 40113 for a wrong code, 42900 after too many of them, 50300, and what `compare` throws
   */
  async count(
    { user, factor, action, isNew = false }: Guess,
    compare: () => Promise<Outcome>,
  ): Promise<void> {
    const { userId, username } = user;
    const key = keyOf(userId, isNew);
    const { waitMs, closedSeconds } = await this.budget.enter(key);
    if (waitMs > 0) {
      noteThrottled('factor');
      throw AuthException.refusal(AuthErrorCode.TOO_MANY_ATTEMPTS, {
        retryAfter: retryAfterOf(waitMs),
      });
    }
    const outcome = await compare().catch(async (error: unknown) => {
      await this.giveBack(key, closedSeconds);
      throw error;
    });
    if (outcome === 'unreadable') {
      throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
    }
    if (outcome === 'wrong') {
      const about = { subjectId: userId, subject: username, detail: factor };
      action.note({ type: 'factor-failed', ...about, success: false });
      throw wrongCode();
    }
    await this.budget.forget(key);
  }

  /** Forgets the wrong codes of a user, including those for a device that is being added. */
  async forget(userId: UserId): Promise<void> {
    await Promise.all([false, true].map((isNew) => this.budget.forget(keyOf(userId, isNew))));
  }

  private async giveBack(key: string, closedSeconds: number): Promise<void> {
    await this.budget.giveBack(key, 1);
    if (closedSeconds > 0) {
      await this.budget.open(key);
    }
  }
}

function keyOf(userId: UserId, isNew: boolean): string {
  return isNew ? `${ownerOf(userId)}.new` : ownerOf(userId);
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** A wrong code. */
    'factor-failed': true;
  }
}

/** The same for every wrong code: an attacker must not learn whether it was used, malformed, or another user's. */
function wrongCode(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED);
}
