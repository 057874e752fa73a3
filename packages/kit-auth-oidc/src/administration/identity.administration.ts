import { Injectable } from '@nestjs/common';
import type { UserId } from 'kit-auth';
import { ActingAdministrators, ActiveUserStore, notFound, OWN_CHANGES } from 'kit-auth/extend';
import { type IdentityInfo, UserIdentities } from '../identities/user-identities.js';
import { IdentityRemovals } from './identity.removals.js';

export const READ = 'auth:user:read';
export const WRITE = 'auth:user:write';

/** Administrators list and remove the identities of other users. */
@Injectable()
export class IdentityAdministration {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly identities: UserIdentities,
    private readonly removals: IdentityRemovals,
  ) {}

  /** @throws AuthException 40400 for unknown users, and for disabled users without an identity; 40300, 40101 */
  listOf(text: string): Promise<IdentityInfo[]> {
    const administrator = this.administrators.begin(READ);
    return administrator.noting(async () => {
      await administrator.authority();
      const userId = administrator.idFrom(text);
      const identities = await this.identities.listOf(userId);
      if (identities.length === 0 && (await this.users.loadLoginUser(userId)) === undefined) {
        throw notFound('User');
      }
      return identities;
    });
  }

  /**
   * Removes an identity of a user, or all of them, and ends all sessions.
   *
   * @throws AuthException 40120 for the administrator's own identities without a fresh login; 40400 for unknown users and
   * identities, and for disabled users without an identity; 40300 for users with administrative permissions that the
   * administrator lacks, and for disabled users unless the administrator is a super administrator; 40101
   */
  remove(text: string, id?: string): Promise<void> {
    const administrator = this.administrators.begin(WRITE);
    return administrator.noting(async () => {
      const hasIdentities = async (userId: UserId) => (await this.identities.listOf(userId)).length > 0;
      const owner = await administrator.reach(text, hasIdentities, OWN_CHANGES);
      await this.removals.remove(administrator.action, owner, id);
    });
  }
}
