import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { ActingAdministrators, ActiveUserStore, notFound, OWN_CHANGES } from 'kit-auth/extend';
import { PasskeyRemovals } from './passkey.removals.js';
import { type PasskeyInfo, UserPasskeys } from '../account/user-passkeys.js';

export const READ = 'auth:user:read';
export const WRITE = 'auth:user:write';

/** Administrators list and remove the passkeys of other users. */
@Injectable()
export class PasskeyAdministration {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly passkeys: UserPasskeys,
    private readonly removals: PasskeyRemovals,
  ) {}

  /** @throws AuthException 40400 for unknown users, and for disabled users without a passkey; 40300, 40101 */
  listOf(text: string): Promise<PasskeyInfo[]> {
    const administrator = this.administrators.begin(READ);
    return administrator.noting(async () => {
      await administrator.authority();
      const userId = administrator.idFrom(text);
      const passkeys = await this.passkeys.listOf(userId);
      if (passkeys.length === 0 && (await this.users.loadLoginUser(userId)) === undefined) {
        throw notFound('User');
      }
      return passkeys;
    });
  }

  /**
   * Removes a passkey of a user, or all of them, and ends all sessions. To remove their own passkeys, administrators
   * must show a second factor.
   *
   * @throws AuthException 40120 for the administrator's own passkeys without a fresh second factor; 40400 for unknown
   * users and passkeys, and for disabled users without a passkey; 40300 for users with administrative permissions that
   * the administrator lacks, and for disabled users unless the administrator is a super administrator; 40101
   */
  remove(text: string, id?: string): Promise<void> {
    const administrator = this.administrators.begin(WRITE);
    return administrator.noting(async () => {
      const hasPasskeys = async (userId: UserId) => (await this.passkeys.listOf(userId)).length > 0;
      const owner = await administrator.reach(text, hasPasskeys, OWN_CHANGES);
      await this.removals.remove(administrator.action, owner, id);
    });
  }
}
