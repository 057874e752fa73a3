import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { notFound, OwnChanges } from 'kit-auth/extend';
import { SecondFactorLogin } from 'kit-auth/second-factor';
import { PasskeyStore } from '../stores/passkey.store.js';

/** Removes passkeys of the current user. */
@Injectable()
export class Removal {
  constructor(
    private readonly own: OwnChanges,
    private readonly store: PasskeyStore,
    private readonly login: SecondFactorLogin,
  ) {}

  /**
   * @param endOthers whether the other sessions of the user end
   * @throws AuthException 40400, 40101, 50100 for `endOthers` without sessions, and 40900 with the reason `last` when the user
   * could no longer log in
   */
  async remove(id: string, endOthers: boolean): Promise<void> {
    const own = this.own.begin();
    const { user } = await own.current();
    const { userId, username } = user;
    await own.removeFactor({ user, factor: 'passkey', endOthers }, async (change, hasOtherWay) => {
      const { name, isLast } = await this.store.change(userId, change.transaction, async (passkeys) => {
        const all = await passkeys.latest();
        const found = all.find((passkey) => passkey.id === id);
        if (found === undefined) {
          throw notFound('Passkey');
        }
        if (all.length === 1 && !hasOtherWay) {
          throw lastLogin();
        }
        await passkeys.remove([id]);
        return { name: found.name, isLast: all.length === 1 };
      });
      if (isLast) {
        await this.login.cancelOf(userId, change.transaction);
      }
      await change.note({ type: 'passkey-removed', subjectId: userId, subject: username, detail: name });
    });
  }
}

function lastLogin(): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, {
    reason: 'last',
    message: 'You could no longer log in. Add another passkey or a password first',
  });
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'passkey-removed': true;
  }
}
