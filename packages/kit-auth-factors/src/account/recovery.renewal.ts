import { Injectable } from '@nestjs/common';
import { conflict, OwnChanges } from 'kit-auth/extend';
import { FactorStore } from '../stores/factor.store.js';

/** Replaces the recovery codes of the current user. */
@Injectable()
export class RecoveryRenewal {
  constructor(
    private readonly own: OwnChanges,
    private readonly store: FactorStore,
  ) {}

  /**
   * @returns the new codes. The old ones no longer work
   * @throws AuthException 40900 for a user without a device, 40101
   */
  async renew(): Promise<string[]> {
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
    'recovery-renewed': true;
  }
}
