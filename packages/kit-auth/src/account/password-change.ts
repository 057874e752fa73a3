import { Injectable } from '@nestjs/common';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { PasswordCheck } from '../passwords/password.check.js';
import { ActiveLogins } from '../ports/active.provider.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { NewPasswords } from './new-passwords.js';
import { SessionEnds } from './session-ends.js';

/** The body of `POST password`. */
export interface PasswordChangeRequest {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** Whether the API keys of the user end, too. */
  readonly endKeys: boolean;
}

/** Changes the password of the current user, after checking the current one (OWASP ASVS 6.2.3). */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly check: PasswordCheck,
    private readonly passwords: NewPasswords,
    private readonly users: ActiveUserStore,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
  ) {}

  /**
   * Changes the password and ends the user's other sessions.
   *
   * @throws AuthException 40110 when the current password is wrong, 42900 after too many attempts, 40000 when the new
   * password is not allowed, 40900 when the user was changed in the meantime, 50100 when the user store cannot change
   * passwords
   */
  async change(
    user: LoginUser,
    { currentPassword, newPassword, endKeys }: PasswordChangeRequest,
  ): Promise<void> {
    const { userId, username } = user;
    const attempt = this.check.attempt(username, currentPassword);
    const { action } = attempt;
    const exceptId = this.logins.currentId();
    if (!this.users.has('changePassword') || !this.users.has('findByUsername')) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED, {
        message: 'The users of this application cannot change their passwords here',
      });
    }
    const { user: verified, stamp } = await this.check.verify(attempt, currentPassword);
    if (verified.userId !== userId) {
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
    if (newPassword === currentPassword) {
      throw new AuthException(AuthErrorCode.BAD_REQUEST, {
        reason: 'password-unchanged',
        message: 'The new password is the current one',
      });
    }
    const passwordHash = await this.passwords.hash(newPassword, username, attempt.client);
    await this.ends.changeOwn(action, user, {
      reason: 'password-changed',
      exceptId,
      endsKeys: endKeys,
      work: async (change) => {
        if (!(await this.users.changePassword(userId, { passwordHash, seenStamp: stamp }, change))) {
          throw new AuthException(AuthErrorCode.CONFLICT);
        }
        const about = { subjectId: userId, subject: username };
        await change.note({ type: 'password-changed', ...about, ...(endKeys && { endsKeys: true }) });
      },
    });
  }
}
