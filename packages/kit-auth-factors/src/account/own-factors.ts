import { Injectable } from '@nestjs/common';
import { KitAuthContext } from 'kit-auth';
import { ActiveUserStore, conflict, notFound } from 'kit-auth/feature';
import { OwnChanges } from 'kit-auth/login';
import { SecondFactorLogin } from 'kit-auth/store';
import type { FactorList } from '../factors.api.js';
import { FactorStore } from '../stores/factor.store.js';
import { UserFactors } from './user-factors.js';

/** The factors of the current user. */
@Injectable()
export class OwnFactors {
  constructor(
    private readonly own: OwnChanges,
    private readonly store: FactorStore,
    private readonly users: ActiveUserStore,
    private readonly login: SecondFactorLogin,
    private readonly factors: UserFactors,
    private readonly context: KitAuthContext,
  ) {}

  list(): Promise<FactorList> {
    return this.factors.listOf(this.context.getOrThrow().userId);
  }

  /**
   * Removes a device. The recovery codes go with the last one.
   *
   * @throws AuthException 40400, 40101
   */
  async remove(id: string): Promise<void> {
    const { action, current } = this.own.begin();
    const { userId, username } = (await current()).user;
    await this.users.transaction(action, async (change) => {
      await this.users.lockUser(userId, change);
      const isLast = await this.store.change(userId, change.transaction, async (factors) => {
        const confirmed = await factors.confirmed();
        if (!confirmed.some((device) => device.id === id)) {
          throw notFound('Factor');
        }
        await factors.remove([id]);
        if (confirmed.length === 1) {
          await factors.removeRecoveryCodes();
        }
        return confirmed.length === 1;
      });
      if (isLast) {
        await this.login.cancelOf(userId, change.transaction);
      }
      await change.note({ type: 'factor-removed', subjectId: userId, subject: username, detail: 'totp' });
    });
  }

  /**
   * Replaces the recovery codes.
   *
   * @returns the new codes. The old ones no longer work
   * @throws AuthException 40900 for a user without a device, 40101
   */
  async renewRecoveryCodes(): Promise<string[]> {
    const own = this.own.begin();
    const current = await own.current();
    const { userId, username } = current.user;
    return own.add(current, async (change) => {
      const codes = await this.store.change(userId, change.transaction, async (factors) => {
        if ((await factors.confirmed()).length === 0) {
          throw conflict('Add a device first: POST /v1/api/auth/factors/totp');
        }
        return factors.renewRecoveryCodes(Date.now());
      });
      await change.note({ type: 'recovery-renewed', subjectId: userId, subject: username });
      return codes;
    });
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'factor-removed': true;
    'recovery-renewed': true;
  }
}
