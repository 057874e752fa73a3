import { Injectable } from '@nestjs/common';
import { currentExchange, KitAuthContext } from '../context/kit-auth.context.js';
import { AuthEvents } from '../contract/auth-events.js';
import type { Principal } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { TokenReader } from '../guard/token.reader.js';
import { ActiveProvider } from '../ports/active.provider.js';
import { admitOwn, Ports } from '../ports/ports.js';
import { type Presented, TokenResolver } from '../ports/token.resolver.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { Logout } from './logout.js';
import { TransportExchanges } from './transport.exchanges.js';

type EndedUser = Pick<LoginUser, 'userId'> & { readonly username: string | null };

/** Ends the login of the current request, on protected and on open routes. */
@Injectable()
export class CurrentLogout {
  constructor(
    private readonly ports: Ports,
    private readonly context: KitAuthContext,
    private readonly tokens: TokenReader,
    private readonly resolver: TokenResolver,
    private readonly provider: ActiveProvider,
    private readonly users: ActiveUserStore,
    private readonly logout: Logout,
    private readonly exchanges: TransportExchanges,
    private readonly events: AuthEvents,
  ) {}

  /**
   * See `AuthManager.logout()`.
   *
   * @throws IllegalStateException outside of requests
   */
  async end(): Promise<void> {
    this.ports.requireProvider();
    const exchange = currentExchange();
    if (exchange === undefined) {
      throw new IllegalStateException('AuthManager.logout() without a token needs a request: pass a token.');
    }
    const { request, response } = exchange;
    const action = this.events.begin();
    const token = this.admittedToken(request);
    const principal = this.context.principal() ?? (await this.principalOf(token, request));
    const user =
      principal === undefined ? await this.endByRefreshToken(request) : await this.endOf(principal);
    this.exchanges.clear(request, response);
    if (user !== undefined) {
      action.note({ type: 'logout', subjectId: user.userId, subject: user.username });
    }
  }

  /** Tokens of credentials, such as API keys, belong to no login. */
  private async endOf(principal: Principal): Promise<EndedUser | undefined> {
    if (!this.provider.hasResolved(principal)) {
      return undefined;
    }
    await this.logout.end(principal.token);
    return principal.user;
  }

  /** Logs out a login whose access token has expired. */
  private async endByRefreshToken(request: object): Promise<EndedUser | undefined> {
    const { logins } = this.ports;
    if (logins?.endByRefreshToken === undefined) {
      return undefined;
    }
    const refreshToken = this.exchanges.readRefreshToken(request);
    const userId = refreshToken === undefined ? undefined : await logins.endByRefreshToken(refreshToken);
    if (userId === undefined) {
      return undefined;
    }
    const user = await this.users.loadLoginUser(userId).catch(() => undefined);
    return { userId, username: user?.username ?? null };
  }

  /**
   * The token of the request, unless a page of another site sends it in a cookie.
   *
   * @throws AuthException 40302 for such a page, whatever the method: a GET request ends the login here
   */
  private admittedToken(request: object): Presented | undefined {
    const found = { isInHeader: true };
    const read = () => this.tokens.read(request, () => (found.isInHeader = false));
    const token = undefinedIfInvalid(read);
    if (token === undefined || token instanceof AuthException || !found.isInHeader) {
      admitOwn(this.ports.transport, request);
    }
    return token instanceof AuthException ? undefined : token;
  }

  /** The sender of a request to an open route. Undefined without a valid token. */
  private async principalOf(token: Presented | undefined, request: object): Promise<Principal | undefined> {
    try {
      return token === undefined ? undefined : await this.resolver.resolve(token, request);
    } catch (error) {
      requireInvalid(error);
      return undefined;
    }
  }
}

/** A cookie that comes twice is ignored. */
function undefinedIfInvalid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    requireInvalid(error);
    return undefined;
  }
}

/** Rethrows everything except refusals of invalid tokens. */
function requireInvalid(error: unknown): void {
  if (!(error instanceof AuthException) || error.code !== AuthErrorCode.TOKEN_INVALID) {
    throw error;
  }
}
