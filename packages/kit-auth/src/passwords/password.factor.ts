import { Injectable } from '@nestjs/common';
import type { Factor } from '../contract/factor.js';
import type { LoginUser } from '../contract/login-user.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** Passwords. `PasswordCheck` checks them. */
@Injectable()
export class PasswordFactor implements Factor {
  readonly names = ['password'];
  readonly confirms = ['password'];
  readonly second = 'no';
  readonly order = 0;

  constructor(private readonly users: ActiveUserStore) {}

  async has(user: LoginUser): Promise<readonly string[]> {
    return (await this.users.hasPassword(user)) ? this.names : [];
  }
}
