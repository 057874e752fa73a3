import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, KitAuthContext } from 'kit-auth';
import { notFound, OwnChanges } from 'kit-auth/extend';
import { Providers } from '../config/providers.js';
import { IdentityStore } from '../stores/identity.store.js';
import { type IdentityInfo, UserIdentities } from './user-identities.js';

/** Lists and removes the identities of the current user. */
@Injectable()
export class OwnIdentities {
  constructor(
    private readonly own: OwnChanges,
    private readonly identities: UserIdentities,
    private readonly store: IdentityStore,
    private readonly providers: Providers,
    private readonly context: KitAuthContext,
  ) {}

  /** Oldest first. */
  list(): Promise<IdentityInfo[]> {
    return this.identities.listOf(this.context.getOrThrow().userId);
  }

  /**
   * @param endOthers whether the other sessions of the user end
   * @throws AuthException 40400, 40101, 50100 for `endOthers` without sessions, and 40900 with the reason `last` when the user
   * could no longer log in
   */
  async remove(id: string, endOthers: boolean): Promise<void> {
    const own = this.own.begin();
    const { user } = await own.current();
    const { userId, username } = user;
    await own.removeFactor({ user, factor: 'oidc', endOthers }, async (change, hasOtherWay) => {
      const [removed] = await this.store.remove(userId, change.transaction, (all) => {
        const usable = all.filter((identity) => this.providers.ofIdentity(identity) !== undefined);
        const found = all.filter((identity) => identity.id === id);
        if (found.length === 0) {
          throw notFound('Identity');
        }
        if (!hasOtherWay && usable.every((identity) => identity.id === id)) {
          throw lastLogin();
        }
        return found;
      });
      await change.note({
        type: 'identity-removed',
        subjectId: userId,
        subject: username,
        detail: removed?.provider ?? null,
      });
    });
  }
}

function lastLogin(): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, {
    reason: 'last',
    message: 'You could no longer log in. Set a password, or link another identity first',
  });
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'identity-removed': true;
  }
}
