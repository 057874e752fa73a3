import { Injectable } from '@nestjs/common';
import type { AccountChange, LoginUser, UserId } from 'kit-auth';
import {
  ActingAdministrators,
  ActiveLogins,
  ActiveProvider,
  ActiveUserStore,
  SessionEnds,
} from 'kit-auth/extend';
import { FactorGuesses } from '../codes/factor.guesses.js';
import { conflict, notFound } from '../refusals.js';
import { type FactorList, UserFactors } from './user-factors.js';

export const READ = 'auth:user:read';
export const WRITE = 'auth:user:write';

/** For administrators: the factors of other users, for example of one who has lost the device. */
@Injectable()
export class FactorReset {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly factors: UserFactors,
    private readonly guesses: FactorGuesses,
    private readonly logins: ActiveLogins,
    private readonly provider: ActiveProvider,
    private readonly ends: SessionEnds,
  ) {}

  /** @throws AuthException 40400 for users who are unknown, or neither enabled nor with a factor; 40300, 40101 */
  listOf(text: string): Promise<FactorList> {
    const administrator = this.administrators.begin(READ);
    return administrator.noting(async () => {
      await administrator.authority();
      const id = this.idFrom(text);
      const [user, list] = await Promise.all([this.users.loadLoginUser(id), this.factors.listOf(id)]);
      if (user === undefined && list.factors.length === 0) {
        throw notFound('User');
      }
      return list;
    });
  }

  /**
   * Removes all factors of a user, and ends all sessions.
   *
   * @throws AuthException 40400 for unknown users, 40900 for users who are not enabled, 40300 for users beyond the
   * administrator's reach, 40101
   */
  removeAll(text: string): Promise<void> {
    const administrator = this.administrators.begin(WRITE);
    const { action } = administrator;
    return administrator.noting(async () => {
      const authority = await administrator.authority();
      const user = await this.requireUser(this.idFrom(text));
      authority.require(user);
      const { userId, username } = user;
      const about = { subjectId: userId, subject: username };
      const transaction = <T>(work: (change: AccountChange) => Promise<T>) =>
        this.users.transaction(action, work);
      const ended = { ...about, end: () => this.logins.endAllOf(userId, { reason: 'kicked' }) };
      await this.ends.before(action, transaction, async () => ended, 'before the removal of factors');
      await this.ends.change(
        action,
        transaction,
        async (change) => {
          const count = await this.factors.removeAllOf(userId, change.transaction);
          await change.note({ type: 'factor-removed', ...about, detail: `all ${count}` });
          return ended;
        },
        () => this.provider.userChanged(userId),
      );
      await this.guesses.forget(userId);
    });
  }

  private async requireUser(id: UserId): Promise<LoginUser> {
    const user = await this.users.loadLoginUser(id);
    if (user === undefined) {
      throw (await this.factors.listOf(id)).factors.length === 0
        ? notFound('User')
        : conflict('The user is not enabled');
    }
    return user;
  }

  private idFrom(text: string): UserId {
    const id = this.users.idFrom(text);
    if (id === undefined) {
      throw notFound('User');
    }
    return id;
  }
}
