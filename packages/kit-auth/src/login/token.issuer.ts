import { Injectable } from '@nestjs/common';
import type { AuthAction } from '../contract/auth-event.js';
import type { VerifiedLogin } from '../contract/login-step.js';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { attempting } from '../ports/failure.js';
import { Ports } from '../ports/ports.js';
import { ActiveUserStore } from '../users/active.user-store.js';

/** Issues the tokens of logins. */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly ports: Ports,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * Issues a token and stores the time of the login.
   *
   * @param issue default: `issueToken` of the implementation
   * @throws AuthException 40110 when the user was changed since the password was compared, 50300. No token is left then
   */
  async issue(
    { user, stamp, proof }: VerifiedLogin,
    action: AuthAction,
    issue: () => Promise<string> = () => this.ports.requireProvider().issueToken(user, proof),
  ): Promise<string> {
    await attempting('the user store', async () => this.users.requireId(user.userId));
    const token = await action.run(issue);
    try {
      await attempting('the login', async () => this.requireOwn(token));
      await this.noteLogin({ user, stamp }, action);
    } catch (error) {
      // A login with the old password fails if the password is changed at the same time.
      await this.ports.requireProvider().invalidate(token);
      throw error;
    }
    return token;
  }

  /** @throws IllegalStateException for a token that a credential would resolve */
  private requireOwn(token: string): void {
    if (this.ports.credentialOf(token) !== undefined) {
      throw new IllegalStateException(
        `A credential resolves tokens that begin like those of ${this.ports.requireProvider().extensionName}. Give the credential ` +
          'another prefix.',
      );
    }
  }

  /**
   * Stores the time of a login, or of its confirmation.
   *
   * @throws AuthException 40110 when the user was changed since the password was compared, 50300
   */
  async noteLogin({ user, stamp }: Pick<VerifiedLogin, 'user' | 'stamp'>, action: AuthAction): Promise<void> {
    if (!(await this.users.noteLogin(user.userId, stamp))) {
      throw changedMeanwhile(user, action);
    }
  }
}

function changedMeanwhile({ userId, username }: LoginUser, action: AuthAction): AuthException {
  const about = { subjectId: userId, subject: username };
  action.note({ type: 'login-failed', ...about, success: false, detail: 'changed' });
  return new AuthException(AuthErrorCode.LOGIN_FAILED);
}
