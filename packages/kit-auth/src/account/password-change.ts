import { Injectable } from '@nestjs/common';
import type { HashTurn } from '../contract/hash-turn.js';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { AuthEvents } from '../events/auth-events.js';
import { AuthManager } from '../login/auth.manager.js';
import { SessionEnds } from './session-ends.js';
import { type AccountChange, AccountChanges } from '../users/typeorm/account-changes.js';
import { Credentials } from '../login/credentials.js';
import { NewPasswords } from './new-passwords.js';
import { LoginThrottle } from '../throttle/login.throttle.js';

/** A user's own new password, for which they show the current one (OWASP ASVS 6.2.3). */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly throttle: LoginThrottle,
    private readonly credentials: Credentials,
    private readonly passwords: NewPasswords,
    private readonly changes: AccountChanges,
    private readonly manager: AuthManager,
    private readonly ends: SessionEnds,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Ends the user's other sessions with it.
   *
   * @throws AuthException 40110 when the current password is wrong, 42900 when it was too often, 40000 when the new one may not be chosen, 40900
   * when the user was changed in between
   */
  async change({ userId, username }: LoginUser, currentPassword: string, newPassword: string): Promise<void> {
    const action = this.events.begin();
    const others = { exceptId: this.manager.currentSessionId(), reason: 'password-changed' } as const;
    const isPossible = this.credentials.canSucceed(username, currentPassword);
    const check = (turn: HashTurn) => this.credentials.check(username, currentPassword, action, turn);
    const { user, stamp } = await this.throttle.guard(username, check, { action, isPossible });
    if (user.userId !== userId) {
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
    if (newPassword === currentPassword) {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, {
        reason: 'password-unchanged',
        message: 'The new password is the current one',
      });
    }
    const hash = await this.passwords.hash(newPassword, username);
    const ended = {
      ...{ subjectId: userId, subject: username },
      end: () => this.manager.endSessionsOf(userId, others),
    };
    const transaction = <T>(work: (change: AccountChange) => Promise<T>) => this.changes.run(action, work);
    await this.ends.before(action, transaction, async () => ended);
    await this.ends.change(action, transaction, async ({ manager, note }) => {
      await this.passwords.write(manager, userId, hash, { mustChange: false, seen: stamp });
      await note({ type: 'password-changed', subjectId: userId, subject: username });
      return ended;
    });
    this.manager.userChanged(userId);
  }
}
