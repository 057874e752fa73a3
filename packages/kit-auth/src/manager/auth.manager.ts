import { Injectable } from '@nestjs/common';
import { currentExchange, withRefusalHeaders } from '../context/kit-auth.context.js';
import type { SessionEndReason } from '../contract/auth-sessions.js';
import type { LoginProof } from '../contract/login-proof.js';
import type { LoginResult, LoginUser } from '../contract/login-user.js';
import type { UserId } from '../contract/user-id.js';
import { noteAdmitted, noteRefused } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { PasswordLogin } from '../passwords/password.check.js';
import { attempting, isFactors } from '../ports/port.js';
import { admitLogin, Ports } from '../ports/ports.js';
import { TokenResolver } from '../ports/token.resolver.js';
import { LoginFlow } from '../login/login.flow.js';
import { Logout } from './logout.js';
import { TransportExchanges } from './transport.exchanges.js';

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
    private readonly passwords: PasswordLogin,
    private readonly flow: LoginFlow,
    private readonly exchanges: TransportExchanges,
    private readonly resolver: TokenResolver,
    private readonly users: ActiveUserStore,
    private readonly ends: Logout,
  ) {}

  /**
   * Logs a user in: looks up the account, compares the password, checks the status, and issues a token. A refusal
   * during a request sets its headers, such as `Retry-After`, on the response of that request. Steps read their fields
   * from the body of that request.
   *
   * @throws AuthException 40110 wrong user name or password, 40111 account disabled, 42900 too many attempts, 50300
   * database not answering or too many logins at once
   */
  async login(username: string, password: string): Promise<LoginResult> {
    this.ports.requireProvider();
    this.users.require('AuthManager.login()', 'findByUsername');
    try {
      const { endsAt, ...answer } = await attempting('the login', () =>
        this.passwords.logIn(username, password, currentExchange()?.request),
      );
      return answer;
    } catch (error) {
      throw withRefusalHeaders(error);
    }
  }

  /**
   * Logs in a user whom the application has identified by other means than a password, for example with a provider. The
   * login is like any other: it runs the steps of the login, such as a second factor, opens a session or gets a refresh token,
   * and publishes the event `login`. Steps read their fields from the body of the current request.
   *
   * In a request of an application with a token transport, the answer gets the cookies, and the result has no token. A
   * login that a page of another site sends is refused then, like `POST login`.
   *
   * @param options `factors`: what the user has shown, with the times in seconds since 1970, for example
   * `{ oidc: Math.floor(Date.now() / 1000) }`. The first one is `LoginAttempt.first`, and the detail of the event
   * @returns the body to send
   * @throws AuthException 40111 for an account that is unknown or disabled, 40112 if the user has a second factor, 40302,
   * 50300, and what other steps throw
   * @throws IllegalStateException for invalid factors, and if the user store has `noteLogin` without `stampOf`
   * @example
   * ```ts
   * @Post('v1/login/acme')
   * @Public()
   * async logIn(@Body() { code }: { code: string }) {
   *   const userId = await this.acme.userOf(code);
   *   return this.auth.loginAs(userId, { factors: { acme: Math.floor(Date.now() / 1000) } });
   * }
   * ```
   */
  async loginAs(
    userId: UserId,
    { factors }: Pick<LoginProof, 'factors'>,
  ): Promise<Pick<LoginResult, 'user'> & Readonly<Record<string, unknown>>> {
    this.ports.requireProvider();
    if (this.users.has('noteLogin')) {
      this.users.require('AuthManager.loginAs()', 'stampOf');
    }
    const [first] = Object.keys(factors);
    if (first === undefined || !isFactors(factors)) {
      throw new IllegalStateException(
        'AuthManager.loginAs() needs factors: names with times in seconds since 1970, such as { oidc: 1767225600 }.',
      );
    }
    const exchange = currentExchange();
    try {
      if (exchange !== undefined) {
        admitLogin(this.ports.transport, exchange.request);
      }
      const begun = this.flow.begin(first, exchange?.request);
      const answer = await attempting('the login', () => this.flow.logInAs(userId, factors, begun));
      if (exchange === undefined) {
        const { endsAt, ...body } = answer;
        return body;
      }
      return (await this.exchanges.write(answer, exchange.request, exchange.response)) as typeof answer;
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
  logout(token: string, reason?: SessionEndReason): Promise<void> {
    return this.ends.end(token, reason);
  }
}
