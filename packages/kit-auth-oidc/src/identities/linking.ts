import { Injectable } from '@nestjs/common';
import type { AuthAction, LoginUser } from 'kit-auth';
import { ActiveUserStore, invalidToken } from 'kit-auth/extend';
import type { AskingLogin } from '../attempts/attempts.js';
import type { ExternalIdentity } from '../contract/external-identity.js';
import { identityTaken, IdentityStore } from '../stores/identity.store.js';

/** Links identities to users. */
@Injectable()
export class Linking {
  constructor(
    private readonly identities: IdentityStore,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * Does nothing for an identity that the user has linked already.
   *
   * @throws AuthException 40900 `taken` for an identity of another user, 40900 `limit` for the eleventh, 40101 for a user who
   * was disabled meanwhile
   */
  async link(
    { userId }: AskingLogin,
    {
      provider,
      issuer,
      subject,
      address,
    }: Pick<ExternalIdentity, 'provider' | 'issuer' | 'subject' | 'address'>,
    action: AuthAction,
  ): Promise<void> {
    const user: LoginUser | undefined = await this.users.loadLoginUser(userId);
    if (user === undefined) {
      throw invalidToken('disabled');
    }
    const known = await this.identities.find({ issuer, subject });
    if (known !== undefined) {
      if (known.userId !== userId) {
        throw identityTaken();
      }
      return;
    }
    await this.users.transaction(action, async (change) => {
      await this.identities.insert(
        userId,
        { provider, issuer, subject, address: address ?? null },
        false,
        change.transaction,
      );
      await change.note({
        type: 'identity-linked',
        subjectId: userId,
        subject: user.username,
        detail: provider,
      });
    });
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'identity-linked': true;
  }
}
