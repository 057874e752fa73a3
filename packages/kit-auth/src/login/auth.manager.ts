import { Injectable } from '@nestjs/common';
import { withRefusalHeaders } from '../context/kit-auth.context.js';
import type { SessionEndReason } from '../contract/auth-sessions.js';
import type { LoginResult, LoginUser } from '../contract/login-user.js';
import { noteAdmitted, noteRefused } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { ActiveLogins } from '../ports/active.provider.js';
import { attempting } from '../ports/port.js';
import { Ports } from '../ports/ports.js';
import { TokenResolver } from '../ports/token.resolver.js';
import { LoginFlow } from './login.flow.js';

/**
 * Login, resolution and logout with the implementation of the application. Every method rejects with `AuthException`
 * 50300 when the implementation fails, and with `IllegalStateException` while `kit.auth.enabled` is false.
 *
 * @example
 * const { token } = await app.get(AuthManager).login('ada', 'correct horse battery staple');
 */
@Injectable()
export class AuthManager {
  constructor(
    private readonly ports: Ports,
    private readonly flow: LoginFlow,
    private readonly resolver: TokenResolver,
    private readonly logins: ActiveLogins,
    private readonly users: ActiveUserStore,
  ) {}

  /**
   * Logs a user in: looks up the account, compares the password, checks the status, and issues a token. A refusal
   * during a request sets its headers, such as `Retry-After`, on the response of that request.
   *
   * @throws AuthException 40110 wrong user name or password, 40111 account disabled, 42900 too many attempts, 50300
   * database not answering or too many logins at once
   */
  async login(username: string, password: string): Promise<LoginResult> {
    this.ports.requireProvider();
    this.users.require('AuthManager.login()', 'findByUsername');
    try {
      const { endsAt, ...answer } = await attempting('the login', () => this.flow.logIn(username, password));
      return answer;
    } catch (error) {
      throw withRefusalHeaders(error);
    }
  }

  /**
   * Checks only a token. Does not check requirements, or whether the user must choose a new password or set up a second
   * factor first.
   *
   * @param options `credentials: true` accepts tokens of credentials too, such as API keys. The caller then has to
   * check the permissions of the user
   * @throws AuthException 40101 for a token that is expired, altered or revoked, 40304 for a token of a credential
   * @example
   * const user = await this.auth.getLoginUser(token, { credentials: true });
   * if (!hasPermission(user, 'note:read')) {
   *   throw new WsException('Forbidden');
   * }
   */
  async getLoginUser(token: string, { credentials = false } = {}): Promise<LoginUser> {
    this.ports.requireProvider();
    try {
      if (!credentials && this.ports.credentialOf(token) !== undefined) {
        throw new AuthException(AuthErrorCode.KEY_NOT_ALLOWED);
      }
      const { user, scheme } = await this.resolver.resolve(token);
      noteAdmitted('manager', scheme);
      return user;
    } catch (error) {
      noteRefused('manager', error);
      throw error;
    }
  }

  /**
   * Ends a token if the implementation can: `kit-auth-session` does, `kit-auth-jwt` does nothing. Unknown and ended
   * tokens are not an error.
   *
   * @param reason the reason that the next request with the token gets. Default `logged-out`
   */
  async logout(token: string, reason?: SessionEndReason): Promise<void> {
    const provider = this.ports.requireProvider();
    if (this.logins.areKept()) {
      await this.endLogin(token, reason);
    }
    await provider.invalidate(token, reason);
  }

  private async endLogin(token: string, reason: SessionEndReason | undefined): Promise<void> {
    try {
      await this.logins.end(await this.resolver.resolve(token), reason);
    } catch (error) {
      if (!(error instanceof AuthException) || error.getStatus() !== 401) {
        throw error;
      }
    }
  }
}
