import { Injectable } from '@nestjs/common';
import { type AccountChange, type AuthAction, AuthEvents, type LoginUser } from 'kit-auth';
import {
  ActiveLogins,
  ActiveProvider,
  ActiveUserStore,
  LoginThrottle,
  NewPasswords,
  SessionEnds,
} from 'kit-auth/extend';
import { OneTimeTokens } from 'kit-auth/one-time';
import { orInvalidLink } from '../addresses/invalid-link.js';
import { invalidLink } from '../refusals.js';
import { UserAddresses } from '../stores/user-addresses.js';
import { RESET, type ResetData } from './reset.links.js';

/** Sets a new password with the token of a link. Nobody is logged in by it. */
@Injectable()
export class PasswordReset {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly addresses: UserAddresses,
    private readonly users: ActiveUserStore,
    private readonly passwords: NewPasswords,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
    private readonly provider: ActiveProvider,
    private readonly throttle: LoginThrottle,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Sets the password, and ends all sessions of the user. A password that is not allowed leaves the token usable.
   *
   * @throws AuthException 40010 when the token is not live, 40000 when the password is not allowed
   */
  async reset(token: string, newPassword: string): Promise<void> {
    const action = this.events.begin();
    const { user, key, stamp } = await this.find(token);
    const { userId, username } = user;
    const passwordHash = await this.passwords.hash(newPassword, username);
    const ended = {
      ...{ subjectId: userId, subject: username },
      end: () => this.logins.endAllOf(userId, { reason: 'password-changed' }),
    };
    const transaction = <T>(work: (change: AccountChange) => Promise<T>) =>
      this.users.transaction(action, work);
    await this.ends.before(action, transaction, async () => ended);
    await this.ends.change(action, transaction, async (change) => {
      await this.tokens.claim(RESET, token, change.transaction);
      // The user before the address, as in every change: two changes of a user wait for each other only once.
      await orInvalidLink(this.users.changePassword(userId, { passwordHash, seenStamp: stamp }, change));
      // Who has the token reads the mails of the address.
      if (!(await this.addresses.markVerified(userId, key, change.transaction))) {
        throw invalidLink();
      }
      await this.tokens.cancel({ userId }, change.transaction);
      await change.note({ type: 'password-reset', subjectId: userId, subject: username });
      return ended;
    });
    this.provider.userChanged(userId);
    await this.unlock(user, action);
  }

  /** @throws AuthException 40010 also when the user has another address than the one that the link went to */
  private async find(token: string): Promise<{ user: LoginUser; key: string; stamp: string }> {
    const { userId, data, stamp } = await this.tokens.peek(RESET, token);
    const { key } = data as ResetData;
    const [user, address] = await Promise.all([
      userId === undefined ? undefined : this.users.loadLoginUser(userId),
      userId === undefined ? undefined : this.addresses.find(userId),
    ]);
    if (user === undefined || address?.key !== key) {
      throw invalidLink();
    }
    return { user, key, stamp };
  }

  /** The password is set by now, whatever happens to the counters of failed logins. */
  private async unlock({ userId, username }: LoginUser, action: AuthAction): Promise<void> {
    try {
      await this.throttle.unlock(username);
    } catch {
      const about = { subjectId: userId, subject: username };
      action.note({ type: 'user-unlocked', ...about, success: false, detail: 'the throttle failed' });
    }
  }
}
