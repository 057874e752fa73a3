import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import type { LoginUser } from '../contract/login-user.js';
import type { FactorOutcome } from '../contract/factor.js';
import type { UserId } from '../contract/user-id.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { Ports } from '../ports/ports.js';
import { ownerOf } from '../tools/stored-login.js';
import type { Budget } from './budget.js';
import { Counters, tooManyAttempts } from './counters.js';

/** An answer that a user shows. */
export interface Guess {
  readonly user: LoginUser;
  readonly factor: string;
  readonly action: AuthAction;
  /** Whether it is for a device that is being added. It has a budget of its own. */
  readonly isNew?: boolean;
}

/** Limits the wrong answers of an account. A guess is counted before the answer is checked. */
@Injectable()
export class FactorGuesses implements OnModuleInit {
  private known: Budget | undefined;

  constructor(
    private readonly counters: Counters,
    private readonly ports: Ports,
  ) {}

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (this.ports.factors.some((factor) => factor.verify !== undefined)) {
      this.known = this.budget;
    }
  }

  /**
   * @param compare checks the answer. If it throws, the guess does not count
   * @throws AuthException 40113 for a wrong answer, 42900 after too many of them, 50300, and what `compare` throws
   */
  async count(
    { user, factor, action, isNew = false }: Guess,
    compare: () => Promise<FactorOutcome>,
  ): Promise<void> {
    const { userId, username } = user;
    const key = keyOf(userId, isNew);
    const { waitMs, closedSeconds } = await this.budget.enter(key);
    if (waitMs > 0) {
      throw tooManyAttempts('factor', waitMs);
    }
    let outcome: FactorOutcome;
    try {
      outcome = await compare();
    } catch (error) {
      await this.giveBack(key, closedSeconds);
      throw error;
    }
    if (outcome === 'unreadable') {
      throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
    }
    if (outcome === 'wrong') {
      const about = { subjectId: userId, subject: username, detail: factor };
      action.note({ type: 'factor-failed', ...about, success: false });
      throw wrongAnswer();
    }
    await this.budget.forget(key);
  }

  /** Forgets the wrong answers of a user, including those for a device that is being added. */
  async forget(userId: UserId): Promise<void> {
    await Promise.all([false, true].map((isNew) => this.budget.forget(keyOf(userId, isNew))));
  }

  private get budget(): Budget {
    return (this.known ??= this.counters.budget('factor'));
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

/** The same for every wrong answer: an attacker must not learn whether it was used, malformed, or another user's. */
function wrongAnswer(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED);
}
