import { Injectable } from '@nestjs/common';
import type { LoginAttempt } from '../contract/login-step.js';
import type { Principal } from '../contract/login-proof.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, forbidden } from '../errors/auth.exception.js';
import { missingTexts } from '../endpoints/json-body.js';
import { FreshLoginChecker } from '../guard/fresh-login.checker.js';
import { PasswordCheck } from '../passwords/password.check.js';
import { ActiveLogins, ActiveProvider } from '../ports/active.provider.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { NewPasswords } from '../passwords/new-passwords.js';
import { SessionEnds } from './session-ends.js';

/** The body of `POST password`. */
export interface PasswordChangeRequest {
  /** Undefined to set the first password of an account without one. */
  readonly currentPassword?: string | undefined;
  readonly newPassword: string;
  /** Whether the API keys of the user end, too. */
  readonly endKeys: boolean;
}

/**
 * Changes the password of the current user, after checking the current one (OWASP ASVS 6.2.3). An account without a
 * password gets its first one with a fresh login instead.
 */
@Injectable()
export class PasswordChange {
  constructor(
    private readonly check: PasswordCheck,
    private readonly passwords: NewPasswords,
    private readonly users: ActiveUserStore,
    private readonly logins: ActiveLogins,
    private readonly ends: SessionEnds,
    private readonly provider: ActiveProvider,
    private readonly freshLogins: FreshLoginChecker,
  ) {}

  /**
   * Changes the password, or sets the first one, and ends the user's other sessions.
   *
   * @throws AuthException 40110 when the current password is wrong, or the account has none; 42900 after too many
   * attempts; 40000 when the new password is not allowed, or the current one is missing; 40120 when the login is not fresh
   * enough for a first password; 40300 for a first password with a token of a credential; 40900 when the user was changed in
   * the meantime; 50100 when the user store cannot change passwords, or the provider does not record how users logged in and
   * the password is the first
   */
  async change(
    login: Principal,
    { currentPassword, newPassword, endKeys }: PasswordChangeRequest,
  ): Promise<void> {
    const { user } = login;
    const { userId, username } = user;
    const attempt = this.check.begin(username, currentPassword ?? '');
    const { action } = attempt;
    const exceptId = this.logins.currentId();
    if (!this.users.has('changePassword') || !this.users.has('findByUsername')) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED, {
        message: 'The users of this application cannot change their passwords here',
      });
    }
    const stamp = await (currentPassword === undefined
      ? this.requireNone(login)
      : this.requireCurrent(login, attempt, currentPassword));
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

  /** @returns the security stamp of the user, whose current password is this one */
  private async requireCurrent(login: Principal, attempt: LoginAttempt, password: string): Promise<string> {
    const { user, stamp } = await this.check.verify(attempt, password);
    if (user.userId !== login.user.userId) {
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
    return stamp;
  }

  /** @returns the security stamp of the user, who has no password and a fresh login */
  private async requireNone(login: Principal): Promise<string> {
    const { userId, username } = login.user;
    const account = await this.users.findByUsername(username);
    if (account?.id !== userId) {
      throw new AuthException(AuthErrorCode.LOGIN_FAILED);
    }
    if (account.passwordHash) {
      throw missingTexts(['currentPassword', 'newPassword']);
    }
    if (this.provider.get().keepsProof !== true) {
      throw new AuthException(AuthErrorCode.NOT_IMPLEMENTED, {
        message:
          'This application does not record how users logged in, so they cannot set a first password here',
      });
    }
    if (!this.provider.hasResolved(login)) {
      throw forbidden('Only a login of the user can set the first password');
    }
    await this.freshLogins.require(login, undefined, true);
    // No password is checked here, so refuse stateless tokens issued before the last change.
    this.provider.requireIssuedFor(login, account.enabled ? account.securityStamp : undefined);
    return account.securityStamp;
  }
}
