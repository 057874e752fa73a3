import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { ActingAdministrators, ActiveUserStore, notFound } from 'kit-auth/feature';
import { FactorGuesses, LoginWays, OWN_CHANGES } from 'kit-auth/login';
import { type FactorList, READ, WRITE } from '../factors.api.js';
import { UserFactors } from './user-factors.js';

/** Administrators list and remove the factors of other users, for example after a lost device. */
@Injectable()
export class FactorReset {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly factors: UserFactors,
    private readonly guesses: FactorGuesses,
    private readonly ways: LoginWays,
  ) {}

  /** @throws AuthException 40400 for unknown users, and for disabled users without a factor; 40300, 40101 */
  listOf(text: string): Promise<FactorList> {
    const administrator = this.administrators.begin(READ);
    return administrator.noting(async () => {
      await administrator.authority();
      const id = administrator.idFrom(text);
      const [user, list] = await Promise.all([this.users.loadLoginUser(id), this.factors.listOf(id)]);
      if (user === undefined && list.factors.length === 0) {
        throw notFound('User');
      }
      return list;
    });
  }

  /**
   * Removes all factors of a user, and ends all sessions. To remove their own factors, administrators must show a
   * second factor.
   *
   * @throws AuthException 40120 for the administrator's own factors without a fresh second factor; 40400 for unknown
   * users, and for disabled users without a factor; 40300 for users with administrative permissions that the
   * administrator lacks, and for disabled users unless the administrator is a super administrator; 40101
   */
  removeAll(text: string): Promise<void> {
    const administrator = this.administrators.begin(WRITE);
    return administrator.noting(async () => {
      const hasFactors = async (id: UserId) => (await this.factors.listOf(id)).factors.length > 0;
      const { userId, username } = await administrator.reach(text, hasFactors, OWN_CHANGES);
      const owner = { userId, username };
      await this.ways.revoking(administrator.action, owner, 'factors', async (change) => {
        const count = await this.factors.removeAllOf(userId, change.transaction);
        const about = { subjectId: userId, subject: username, endedSessions: 'all' };
        await change.note({ type: 'factor-removed', ...about, detail: `all ${count}` });
      });
      await this.guesses.forget(userId);
    });
  }
}
