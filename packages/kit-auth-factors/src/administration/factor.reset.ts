import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { ActingAdministrators, ActiveUserStore, notFound, SessionEnds } from 'kit-auth/extend';
import { FactorGuesses } from 'kit-auth/second-factor';
import { OWN_CHANGES } from '../login/second-factors.js';
import { type FactorList, UserFactors } from './user-factors.js';

export const READ = 'auth:user:read';
export const WRITE = 'auth:user:write';

/** Administrators list and remove the factors of other users, for example after a lost device. */
@Injectable()
export class FactorReset {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly factors: UserFactors,
    private readonly guesses: FactorGuesses,
    private readonly ends: SessionEnds,
  ) {}

  /** @throws AuthException 40400 for unknown users, and for disabled users without a factor; 40300, 40101 */
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
      const authority = await administrator.authority();
      const id = this.idFrom(text);
      if (id === administrator.userId) {
        await administrator.requireFresh(OWN_CHANGES);
      }
      const user = await this.users.loadLoginUser(id);
      // Disabled users cannot be loaded, but may have factors.
      if (user === undefined && (await this.factors.listOf(id)).factors.length === 0) {
        throw notFound('User');
      }
      authority.require(user);
      const { userId, username } = user ?? { userId: id, username: text };
      await this.ends.changeOwn(
        administrator.action,
        { userId, username },
        {
          reason: 'kicked',
          detail: 'before the removal of factors',
          work: async (change) => {
            const count = await this.factors.removeAllOf(userId, change.transaction);
            const about = { subjectId: userId, subject: username, endedSessions: 'all' };
            await change.note({ type: 'factor-removed', ...about, detail: `all ${count}` });
          },
        },
      );
      await this.guesses.forget(userId);
    });
  }

  private idFrom(text: string): UserId {
    const id = this.users.idFrom(text);
    if (id === undefined) {
      throw notFound('User');
    }
    return id;
  }
}
