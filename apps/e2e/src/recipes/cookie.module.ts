import { Injectable, Module } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type LoginResult,
  TOKEN_TRANSPORT,
  type TokenTransport,
  type TransportExchange,
  type TransportRequest,
} from 'kit-auth';

const NAME = '__Host-token';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

@Injectable()
export class CookieTransport implements TokenTransport {
  /** Called for a request without a token header, if the route reads tokens. */
  read({ method, headers }: TransportRequest): string | undefined {
    const values = (headers.cookie ?? '')
      .split(/; */)
      .filter((cookie) => cookie.startsWith(`${NAME}=`))
      .map((cookie) => cookie.slice(NAME.length + 1));
    if (values.length > 1) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'malformed' });
    }
    const [token] = values;
    if (!token) {
      return undefined; // 40100
    }
    const site = headers['sec-fetch-site'];
    if (!SAFE_METHODS.includes(method) && site !== 'same-origin' && site !== 'none') {
      throw new AuthException(AuthErrorCode.CROSS_ORIGIN);
    }
    return token;
  }

  /** Called with the answer of a login. Returns the body to send. */
  write({ token, ...body }: LoginResult, exchange: TransportExchange): object {
    exchange.appendHeader('Set-Cookie', `${NAME}=${token}; ${ATTRIBUTES}`);
    return body;
  }

  /** Called at logout. */
  clear(exchange: TransportExchange): void {
    exchange.appendHeader('Set-Cookie', `${NAME}=; ${ATTRIBUTES}; Max-Age=0`);
  }
}

@Module({ providers: [{ provide: TOKEN_TRANSPORT, useClass: CookieTransport }] })
export class CookieModule {}
