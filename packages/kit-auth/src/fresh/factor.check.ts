import { Injectable } from '@nestjs/common';
import type { LoginAttempt, ShownAnswer, VerifiedLogin } from '../contract/login-step.js';
import { invalidToken } from '../errors/auth.exception.js';
import { Factors } from '../ports/factors.js';
import { FactorGuesses } from '../throttle/factor.guesses.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** Checks factors that confirm a login. */
@Injectable()
export class FactorCheck {
  constructor(
    private readonly factors: Factors,
    private readonly users: ActiveUserStore,
    private readonly guesses: FactorGuesses,
  ) {}

  /**
   * @returns undefined for a factor that cannot confirm a login
   * @throws AuthException 40113 for a wrong answer, 42900 after too many of them, 50300, 40101 for a user who is disabled
   */
  async verify(shown: ShownAnswer, attempt: LoginAttempt): Promise<VerifiedLogin | undefined> {
    const { factor: name } = shown;
    const factor = this.factors.confirming(name);
    if (factor === undefined) {
      return undefined;
    }
    const { userId } = shown.user;
    const stamp = await this.users.stampOf(userId);
    const user = await this.users.loadLoginUser(userId);
    if (stamp === undefined || user === undefined) {
      throw invalidToken('disabled');
    }
    await this.guesses.count({ user, factor: name, action: attempt.action }, () =>
      factor.verify({ ...shown, user }, attempt),
    );
    return { user, stamp, proof: { factors: { [name]: Math.floor(Date.now() / 1000) } } };
  }
}
