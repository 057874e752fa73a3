import { Injectable } from '@nestjs/common';
import { currentExchange, withRefusalHeaders } from '../context/kit-auth.context.js';
import type { SessionEndReason } from '../contract/auth-sessions.js';
import type { LoginProof } from '../contract/login-proof.js';
import type { LoginResult, LoginUser } from '../contract/login-user.js';
import type { UserId } from '../contract/user-id.js';
import { noteAdmitted, noteRefused } from '../diagnostics/channels.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, badRequest, IllegalStateException } from '../errors/auth.exception.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { PasswordLogin } from '../passwords/password.check.js';
import { attempting, isFactors, isObject } from '../ports/port.js';
import { admitLogin, admitOwn, isSafe, Ports, transportRequestOf } from '../ports/ports.js';
import { TokenResolver } from '../ports/token.resolver.js';
import { type LoginAnswer, LoginFlow } from '../login/login.flow.js';
import { CurrentLogout } from './current.logout.js';
import { Logout } from './logout.js';
import { TransportExchanges } from './transport.exchanges.js';

export interface LoginOptions {
  /** Whether the cookies of the login outlive the browser's session. Default: the member `remember` of the body. */
  readonly remember?: boolean;
}

/** The body of the answer to a login: the user, and what the implementation adds. */
export type LoginBody = Pick<LoginResult, 'user'> & {
  /** Absent for browsers in applications with a token transport: it is in a cookie. */
  readonly token?: string;
} & Readonly<Record<string, unknown>>;

/** @param request the current one, whose body the steps read */
type Login = (request: { readonly body?: unknown } | undefined) => Promise<LoginAnswer>;

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
    private readonly current: CurrentLogout,
  ) {}

  /**
   * Logs a user in and returns the token, for code that keeps it itself, such as a test or a script. A login endpoint of your
   * own needs `loginWithPassword()`: the token of a browser must not be in the answer.
   *
   * Looks up the account, compares the password, checks the status, and issues a token. A refusal during a request sets its
   * headers, such as `Retry-After`, on the response of that request. Steps read their fields from the body of that request.
   *
   * @throws AuthException 40000 for values that are not strings, 40110 wrong user name or password, 40111 account disabled,
   * 42900 too many attempts, 50300 database not answering or too many logins at once; with a token transport, 40302 for a page
   * of another site
   */
  async login(username: string, password: string): Promise<LoginResult> {
    const login = this.passwordLogin('AuthManager.login()', username, password);
    const { endsAt, ...answer } = await this.inRequest(login, admitOwn);
    return answer;
  }

  /**
   * Logs in with a password, for a login endpoint of your own. Works like `POST login`: it runs the steps, such as a second
   * factor, and refuses pages of other sites with 40302. With a token transport, the answer gets the cookies of browsers, and
   * the result has no token.
   *
   * @param options `remember`: whether the cookies outlive the browser's session. Default: the member `remember` of the body
   * @returns the body to send. It has the token for clients other than browsers, and outside of requests
   * @throws AuthException like `login()`
   * @example
   * ```ts
   * @Post('v1/account/login')
   * @Public()
   * logIn(@Body() { email, password }: Credentials) {
   *   return this.auth.loginWithPassword(email, password);
   * }
   * ```
   */
  async loginWithPassword(
    username: string,
    password: string,
    { remember }: LoginOptions = {},
  ): Promise<LoginBody> {
    const login = this.passwordLogin('AuthManager.loginWithPassword()', username, password);
    return this.answered(await this.inRequest(login, admitOwn), remember);
  }

  /**
   * Logs in a user whom the application has identified by other means than a password, for example with a provider, or because
   * the user has just registered. The login is like any other: it runs the steps of the login, such as a second factor, opens a
   * session or gets a refresh token, and publishes the event `login`. Steps read their fields from the body of the current
   * request.
   *
   * In a request of an application with a token transport, the answer gets the cookies, and the result has no token. A
   * login that a page of another site sends is refused then, like `POST login`. A GET request is not, because a user who returns
   * from a provider comes from another site: bind it to the browser yourself, for example with a `state`.
   *
   * @param options `factors`: what the user has shown, with the times in seconds since 1970, for example
   * `{ oidc: Math.floor(Date.now() / 1000) }`. The first one is `LoginAttempt.first`, and the detail of the event. `remember`:
   * as for `loginWithPassword()`
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
    { factors, remember }: Pick<LoginProof, 'factors'> & LoginOptions,
  ): Promise<LoginBody> {
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
    const login: Login = (request) => this.flow.logInAs(userId, factors, this.flow.begin(first, request));
    return this.answered(await this.inRequest(login, admitLogin), remember);
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
   * Without a token, it ends the login of the current request, deletes its cookies, and publishes the event `logout`: all that
   * a logout endpoint of your own has to do, on a protected or an open route. It does so for requests without a valid token
   * too, by the refresh token if there is one. On an open route, it refuses pages of other sites, and links from them, with
   * 40302.
   *
   * @param reason the reason that the next request with the token gets. Default `logged-out`
   * @throws IllegalStateException without a token outside of requests
   * @example
   * ```ts
   * @Post('v1/account/logout')
   * @Public()
   * @HttpCode(204)
   * async logOut(): Promise<void> {
   *   await this.auth.logout();
   * }
   * ```
   */
  logout(token?: string, reason?: SessionEndReason): Promise<void> {
    return token === undefined ? this.current.end() : this.ends.end(token, reason);
  }

  /** @param method for the message of an application whose user store cannot find accounts by name */
  private passwordLogin(method: string, username: string, password: string): Login {
    this.ports.requireProvider();
    this.users.require(method, 'findByUsername');
    if (typeof username !== 'string' || typeof password !== 'string') {
      throw withRefusalHeaders(badRequest('The name and the password must be strings'));
    }
    return (request) => this.passwords.logIn(username, password, request);
  }

  /** Writes the answer of a login to the response of the current request. */
  private async answered(answer: LoginAnswer, remember: boolean | undefined): Promise<LoginBody> {
    const exchange = currentExchange();
    if (exchange === undefined) {
      const { endsAt, ...body } = answer;
      return body;
    }
    const { request, response } = exchange;
    this.exchanges.exchange(request, response).setHeader('Cache-Control', 'no-store');
    try {
      return (await this.exchanges.write(
        { ...answer, remember: remember ?? remembers(request) },
        request,
        response,
      )) as LoginBody;
    } catch (error) {
      throw withRefusalHeaders(error);
    }
  }

  /** Runs a login, unless a page of another site sends the current request. */
  private async inRequest(login: Login, admit: typeof admitLogin): Promise<LoginAnswer> {
    const request = currentExchange()?.request;
    try {
      if (request !== undefined) {
        admit(this.ports.transport, request);
      }
      return await attempting('the login', () => login(request));
    } catch (error) {
      throw withRefusalHeaders(error);
    }
  }
}

/** Whether the body of a request asks for a login that outlives the browser's session. Undefined for a GET request. */
function remembers(request: object): boolean | undefined {
  const { method = '', body } = transportRequestOf(request) ?? {};
  return isSafe({ method }) ? undefined : isObject(body) && body['remember'] === true;
}
