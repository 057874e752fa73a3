import { Injectable } from '@nestjs/common';
import { AuthEvents } from '../contract/auth-events.js';
import type { Principal } from '../contract/login-proof.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { LoginConfirmation } from '../login/login.confirmation.js';
import type { LoginAnswer } from '../login/login.flow.js';
import { PasswordCheck } from '../login/password.check.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** Confirms the login of the current user with the password. */
@Injectable()
export class PasswordConfirmation {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly confirmation: LoginConfirmation,
    private readonly users: ActiveUserStore,
    private readonly events: AuthEvents,
  ) {}

  /**
   * @throws AuthException 40110 when the password is wrong, 42900 after too many attempts, 50100 where there are no
   * passwords, and as `LoginConfirmation`
   */
  async confirm(former: Principal, password: string): Promise<LoginAnswer> {
    const attempt = this.passwords.attempt(former.user.username, password, this.events.begin());
    if (!this.users.has('findByUsername')) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED, {
        message: 'The users of this application have no passwords here',
      });
    }
    this.confirmation.require(former);
    return this.confirmation.confirm(former, await this.passwords.verify(attempt, password), attempt);
  }
}
