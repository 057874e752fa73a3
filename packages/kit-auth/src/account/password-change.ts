import { Injectable } from '@nestjs/common';
import { AuthEvents } from '../contract/auth-events.js';
import type { LoginUser } from '../contract/login-user.js';
import type { AccountChange } from '../contract/user-store.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { PasswordCheck } from '../login/password.check.js';
import { ActiveLogins } from '../provider/active.logins.js';
import { ActiveProvider } from '../provider/active.provider.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { NewPasswords } from './new-passwords.js';
import { SessionEnds } from './session-ends.js';

/** Changes the password of the current user, after checking the current one (OWASP ASVS 6.2.3). */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly check: PasswordCheck,
    private readonly passwords: NewPasswords,
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Changes the password and ends the user's other sessions.
   *
   * @throws AuthException 40110 when the current password is wrong, 42900 after too many attempts, 40000 when the new
   * password is not allowed, 40900 when the user was changed in between, 50100 when the user store cannot change
   * passwords
   */
  async change({ userId, username }: LoginUser, currentPassword: string, newPassword: string): Promise<void> {
    const action = this.events.begin();
    const attempt = this.check.attempt(username, currentPassword, action);
    const others = { exceptId: this.logins.currentId(), reason: 'password-changed' } as const;
    if (!this.users.has('changePassword') || !this.users.has('findByUsername')) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED, {
        message: 'The users of this application cannot change their passwords here',
      });
    }
    const { user, stamp } = await this.check.verify(attempt, currentPassword);
    if (user.userId !== userId) {
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
    if (newPassword === currentPassword) {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, {
        reason: 'password-unchanged',
        message: 'The new password is the current one',
      });
    }
    const passwordHash = await this.passwords.hash(newPassword, username);
    const ended = {
      ...{ subjectId: userId, subject: username },
      end: () => this.logins.endAllOf(userId, others),
    };
    const transaction = <T>(work: (change: AccountChange) => Promise<T>) =>
      this.users.transaction(action, work);
    await this.ends.before(action, transaction, async () => ended);
    await this.ends.change(action, transaction, async (change) => {
      await this.users.changePassword(userId, { passwordHash, seenStamp: stamp }, change);
      await change.note({ type: 'password-changed', subjectId: userId, subject: username });
      return ended;
    });
    this.provider.userChanged(userId);
  }
}
