import { Injectable } from '@nestjs/common';
import type { LoginUser } from '../contract/login-user.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** The ways in which users log in, so that nobody removes the last one. */
@Injectable()
export class LoginWays {
  constructor(
    private readonly ports: Ports,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * Whether a user can log in without a factor: with a password, or as `LoginStep.firstFactorsOf` says.
   *
   * @param factor the factor that may be removed, for example `passkey`
   */
  async existBeside(factor: string, user: LoginUser): Promise<boolean> {
    if (await this.users.hasPassword(user)) {
      return true;
    }
    const ways = await Promise.all(this.ports.steps.map(async (step) => step.firstFactorsOf?.(user) ?? []));
    return ways.flat().some((way) => way !== factor);
  }
}
