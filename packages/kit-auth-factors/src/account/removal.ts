import { Injectable } from '@nestjs/common';
import { ActiveUserStore, notFound, OwnChanges } from 'kit-auth/extend';
import { SecondFactorLogin } from 'kit-auth/second-factor';
import { FactorStore } from '../stores/factor.store.js';

/** Removes devices of the current user. */
@Injectable()
export class Removal {
  constructor(
    private readonly own: OwnChanges,
    private readonly store: FactorStore,
    private readonly users: ActiveUserStore,
    private readonly login: SecondFactorLogin,
  ) {}

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
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'factor-removed': true;
  }
}
