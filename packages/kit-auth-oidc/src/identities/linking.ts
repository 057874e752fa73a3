import { Injectable } from '@nestjs/common';
import type { AuthAction, Principal } from 'kit-auth';
import { ActiveUserStore, invalidToken, LoginWays } from 'kit-auth/extend';
import type { ExternalIdentity } from '../contract/external-identity.js';
import { identityTaken, IdentityStore } from '../stores/identity.store.js';

type LinkableIdentity = Pick<ExternalIdentity, 'provider' | 'issuer' | 'subject' | 'address'>;

/** Links identities to users. */
@Injectable()
export class Linking {
  constructor(
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
    private readonly ways: LoginWays,
  ) {}

  /**
   * Links an identity to the user of a login. Does nothing for one that the user has linked already.
   *
   * @throws AuthException 40900 `taken` for an identity of another user, 40900 `limit` for the eleventh, 40101 for a user who
   * was disabled or changed meanwhile
   */
  async link(principal: Principal, identity: LinkableIdentity, action: AuthAction): Promise<void> {
    const { userId } = principal.user;
    // First, so that a change in between is noticed.
    const stamp = await this.users.stampOf(userId);
    const user = await this.users.loadLoginUser(userId);
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    const { provider, issuer, subject, address = null } = identity;
    const known = await this.identities.find({ issuer, subject });
    if (known !== undefined) {
      if (known.userId !== userId) {
        throw identityTaken();
      }
      return;
    }
    await this.ways.adding(action, { principal, user, stamp }, async (change) => {
      const row = { provider, issuer, subject, address };
      await this.identities.insert(userId, row, false, change.transaction);
      const about = { subjectId: userId, subject: user.username };
      await change.note({ type: 'identity-linked', ...about, detail: provider });
    });
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'identity-linked': true;
  }
}
