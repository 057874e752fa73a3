import { Injectable } from '@nestjs/common';
import type { Principal } from '../contract/login-proof.js';
import type { ShownAnswer } from '../contract/login-step.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, badRequest } from '../errors/auth.exception.js';
import { LoginConfirmation } from './login.confirmation.js';
import { type LoginAnswer, LoginFlow } from '../login/login.flow.js';
import { PasswordCheck } from '../passwords/password.check.js';
import { ActiveProvider } from '../ports/active.provider.js';
import { Factors } from '../ports/factors.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { FactorCheck } from './factor.check.js';
import { FreshGuesses } from './fresh-guesses.js';

/** Confirms the login of the current user with the password or another factor. */
@Injectable()
export class FreshConfirmation {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly check: FactorCheck,
    private readonly confirmation: LoginConfirmation,
    private readonly guesses: FreshGuesses,
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly flow: LoginFlow,
    private readonly factors: Factors,
  ) {}

  /**
   * @throws AuthException 40110 when the password is wrong, 42900 after too many attempts, 40101 after twenty wrong
   * ones, 50100 if the user store has no passwords, and those of `LoginConfirmation`
   */
  async withPassword(former: Principal, password: string): Promise<LoginAnswer> {
    const attempt = this.passwords.begin(former.user.username, password);
    if (!this.users.has('findByUsername')) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED, {
        message: 'The users of this application have no passwords here',
      });
    }
    this.confirmation.require(former);
    await this.guesses.requireLeft(former);
    const shown = await this.passwords.verify(attempt, password, (compare) =>
      this.guesses.count(former, attempt.action, compare),
    );
    return this.confirmation.confirm(former, shown, attempt);
  }

  /**
   * Begins a confirmation whose user needs something before, such as a code in a mail.
   *
   * @returns undefined if there is nothing to answer
   * @throws AuthException 40000 for a factor that needs nothing, or that the user does not have, 40101 after twenty wrong
   * answers, and those of `LoginConfirmation.require` and of the factor
   */
  async begin(login: Principal, name: string): Promise<object | undefined> {
    const factor = this.factors.beginning(name);
    if (factor === undefined) {
      throw badRequest('This factor has no options. Send the password or a code to POST fresh');
    }
    this.confirmation.require(login);
    await this.guesses.requireLeft(login);
    return factor.begin(login);
  }

  /**
   * A stateless token stays valid after a password change. The new password can confirm its login, but a code cannot.
   *
   * @throws AuthException 40000 for a factor that cannot confirm a login, 40113 when the answer is wrong, 42900
   * after too many attempts, 40101 after twenty wrong ones and for a token from before the security stamp changed, and
   * those of `LoginConfirmation`
   */
  async withFactor(former: Principal, shown: Omit<ShownAnswer, 'user'>): Promise<LoginAnswer> {
    const { user } = former;
    const attempt = { ...this.flow.begin(shown.factor), username: user.username };
    this.confirmation.require(former);
    await this.guesses.requireLeft(former);
    const verified = await this.guesses.count(former, attempt.action, async () => {
      const found = await this.check.verify({ ...shown, user }, attempt);
      if (found === undefined) {
        throw badRequest('This factor cannot confirm a login. Send another one, or the password');
      }
      return found;
    });
    this.provider.requireIssuedFor(former, verified.stamp);
    return this.confirmation.confirm(former, verified, attempt);
  }
}
