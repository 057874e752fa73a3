import { Injectable } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import type { LoginUser } from '../contract/login-user.js';
import type { AccountChange } from '../contract/user-store.js';
import { Factors } from '../ports/factors.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** The ways in which users log in, so that nobody removes the last one. */
@Injectable()
export class LoginWays {
  constructor(
    private readonly factors: Factors,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * Runs a change that removes a factor, in a transaction of the user store.
   *
   * @param factor for example `passkey`
   * @param remove gets whether the user can log in without the factor: with a password, or as `Factor.canLogIn` says
   */
  async removing<T>(
    action: AuthAction,
    user: LoginUser,
    factor: string,
    remove: (change: AccountChange, hasOtherWay: boolean) => Promise<T>,
  ): Promise<T> {
    // Before the transaction, because it may need another connection. Nobody loses a password.
    const hasPassword = await this.users.hasPassword(user);
    return this.users.transaction(action, async (change) => {
      const hasOtherWay =
        hasPassword || (await this.factors.waysOf(user, change)).some((way) => way !== factor);
      return remove(change, hasOtherWay);
    });
  }
}
