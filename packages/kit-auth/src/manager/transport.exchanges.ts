import { Injectable } from '@nestjs/common';
import type { TokenTransport, TransportExchange } from '../contract/token-transport.js';
import type { LoginResult } from '../contract/login-user.js';
import type { LoginAnswer } from '../login/login.flow.js';
import { ActiveLogins } from '../ports/active.provider.js';
import { askTransport, Ports } from '../ports/ports.js';
import { RequestExchanges } from '../ports/request.exchanges.js';
import { Logout } from './logout.js';

/** The answer of a login, such as a `LoginAnswer`, or the `LoginResult` of `AuthManager.login()`. */
type WrittenLogin = LoginResult & Pick<LoginAnswer, 'endsAt' | 'remember'>;

/**
 * Passes the answers of a login and of a logout to the token transport, if the application has one, so that they work with
 * cookies, too. `@Endpoint()` with `login` does it. Other controllers that complete a login call it. For logins of an
 * application, see `AuthManager.loginWithPassword()` and `loginAs()`.
 *
 * @example
 * ```ts
 * @Post('factor')
 * @Public()
 * async factor(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
 *   return this.exchanges.write(await this.secondFactor.complete(request), request, response);
 * }
 * ```
 */
@Injectable()
export class TransportExchanges {
  constructor(
    private readonly ports: Ports,
    private readonly requests: RequestExchanges,
    private readonly logout: Logout,
    private readonly logins: ActiveLogins,
  ) {}

  /**
   * @param answer without `endsAt`, the login ends with its token
   * @returns the body to send
   * @throws AuthException of the transport, such as 40302 for a page of another site. The login is ended then, because no
   * client gets its tokens
   */
  async write(
    { endsAt = this.endOfToken(), remember, ...answer }: WrittenLogin,
    request: object,
    response: unknown,
  ): Promise<object> {
    const { transport } = this.ports;
    if (transport === undefined) {
      return answer;
    }
    try {
      return await transport.write(answer, { ...this.exchange(request, response), endsAt, remember });
    } catch (error) {
      await this.logout.end(answer.token);
      throw error;
    }
  }

  /** See `TokenTransport.requireWritable`. @throws AuthException of the transport */
  requireWritable(answer: LoginAnswer, request: object): void {
    askTransport(this.ports.transport, request, (transport, transportRequest) =>
      transport.requireWritable?.(answer, transportRequest),
    );
  }

  /** The refresh token of a request whose body has none. @throws AuthException of the transport */
  readRefreshToken(request: object): string | undefined {
    return askTransport(this.ports.transport, request, (transport, transportRequest) =>
      transport.readRefreshToken?.(transportRequest),
    );
  }

  /** See `TokenTransport.pages`. */
  get pages(): TokenTransport['pages'] {
    return this.ports.transport?.pages;
  }

  clear(request: object, response: unknown): void {
    this.ports.transport?.clear(this.exchange(request, response));
  }

  /** Undefined for logins that outlive their tokens. */
  private endOfToken(): number | undefined {
    return this.logins.areKept() ? undefined : this.logins.endOfToken().endsAt;
  }

  /** A request and the headers of its answer. */
  exchange(request: object, response: unknown): TransportExchange {
    return this.requests.of(request, response);
  }
}
