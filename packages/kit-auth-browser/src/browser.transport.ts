import { Inject, Injectable } from '@nestjs/common';
import {
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type LoginResult,
  type TokenTransport,
  type TransportExchange,
  type TransportRequest,
} from 'kit-auth';
import { badRequest, type ResolvedOptions } from 'kit-auth/feature';
import { isSafe } from 'kit-auth/login';
import { isObject } from 'kit-auth/tools';
import { browserOptions, type BrowserSettings } from './browser.options.js';
import { BrowserCookies, COOKIE_KINDS, type CookieKind } from './cookies.js';
import { CrossOrigin } from './cross-origin.js';
import { isOfBrowser, linesOf, type WithRawHeaders } from './headers.js';

/**
 * Used if the end of a login is not known. The cookies last as long as browsers allow, and the server refuses an
 * expired token.
 */
const UNKNOWN_END = Infinity;

/** Carries the tokens of browsers in cookies. Other clients keep theirs in bodies and headers. */
@Injectable()
export class BrowserTransport implements TokenTransport {
  readonly cookie: string;
  readonly pages: NonNullable<TokenTransport['pages']>;
  private readonly tokenHeader: string;
  /** The `rawHeaders` of requests whose token came in a cookie, and whose answer may set another one. */
  private readonly byCookie = new WeakSet<object>();

  constructor(
    private readonly cookies: BrowserCookies,
    private readonly crossOrigin: CrossOrigin,
    @Inject(KIT_AUTH_SETTINGS) { tokenHeader }: KitAuthSettings,
    @Inject(browserOptions.token) { settings: { origins, sameSite } }: ResolvedOptions<BrowserSettings>,
  ) {
    this.cookie = cookies.name;
    this.pages = { origins, sameSite };
    this.tokenHeader = tokenHeader.toLowerCase();
  }

  read(request: TransportRequest): string | undefined {
    return this.tokenIn(request, 'token', !isSafe(request));
  }

  readRefreshToken(request: TransportRequest): string | undefined {
    return this.tokenIn(request, 'refreshToken', true);
  }

  /** @throws AuthException 40302 for a page of another origin, 40000 for a wrong `remember` */
  admit(request: TransportRequest): void {
    if (isOfBrowser(request)) {
      this.crossOrigin.refuseOpen(request, whatIs(request));
    }
    if (!['undefined', 'boolean'].includes(typeof remember(request))) {
      throw badRequest('"remember" must be true or false');
    }
  }

  /** Applies the origin rule to a request that a cookie authenticates, whatever its method. @throws AuthException 40302 */
  requireSameOrigin(request: TransportRequest): void {
    if (!this.hasTokenHeader(request)) {
      this.requireSameOriginOfCookie(request);
    }
  }

  /** The same for upgrades, whose cookie counts also beside a token header. */
  requireSameOriginOfCookie(request: TransportRequest): void {
    this.tokenIn(request, 'token', true);
  }

  /** @throws AuthException 50300 for a token that no cookie can carry */
  requireWritable({ token }: Pick<LoginResult, 'token'>, request: TransportRequest): void {
    if (isSafe(request) || this.usesCookies(request)) {
      this.cookies.write(request, 'token', token);
    }
  }

  /** @throws AuthException 40302 for a page of another origin, 50300 for a token that no cookie can carry */
  write(answer: LoginResult & Readonly<Record<string, unknown>>, exchange: TransportExchange): object {
    const { request, endsAt = UNKNOWN_END } = exchange;
    // A login ends with the answer to a GET only if that redirects to a page with cookies.
    if (!isSafe(request) && !this.usesCookies(request)) {
      return answer;
    }
    const goesOn = isSafe(request) || this.byCookie.has(request.rawHeaders);
    if (!goesOn) {
      this.crossOrigin.refuseOpen(request, whatIs(request)); // `admit` does so too, before a login, but not before each
    }
    const { token, refreshToken, ...body } = answer;
    const wasRemembered = this.cookies.has(request, 'remember');
    const isRemembered = exchange.remember ?? (goesOn ? wasRemembered : remember(request) === true);
    const values: Partial<Record<CookieKind, string>> = {
      token,
      ...(typeof refreshToken === 'string' && { refreshToken }),
      ...(isRemembered && { remember: '1' }),
    };
    const lines = (Object.entries(values) as [CookieKind, string][]).map(([kind, value]) =>
      this.cookies.write(request, kind, value, isRemembered ? endsAt : undefined),
    );
    if (wasRemembered && !isRemembered) {
      lines.push(this.cookies.clear(request, 'remember'));
    }
    lines.forEach((line) => exchange.appendHeader('Set-Cookie', line));
    return body;
  }

  clear(exchange: TransportExchange): void {
    const { request } = exchange;
    // The token in the header was logged out. The cookies may belong to another user.
    if (
      this.byCookie.has(request.rawHeaders) ||
      (this.usesCookies(request) && !this.hasTokenHeader(request))
    ) {
      for (const kind of COOKIE_KINDS) {
        exchange.appendHeader('Set-Cookie', this.cookies.clear(request, kind));
      }
    }
  }

  /** A token that has expired beside a refresh token is renewed, or `clear` deletes both. */
  discard(exchange: TransportExchange): void {
    const { request } = exchange;
    if (!this.cookies.has(request, 'refreshToken')) {
      for (const kind of COOKIE_KINDS.filter((it) => this.cookies.has(request, it))) {
        exchange.appendHeader('Set-Cookie', this.cookies.clear(request, kind));
      }
    }
  }

  private tokenIn(request: TransportRequest, kind: CookieKind, obeysOriginRule: boolean): string | undefined {
    const token = this.cookies.read(request, kind);
    if (token !== undefined && obeysOriginRule) {
      this.crossOrigin.refuseWithCookie(request, whatIs(request));
      this.byCookie.add(request.rawHeaders);
    }
    return token;
  }

  private usesCookies(request: TransportRequest): boolean {
    return (
      this.byCookie.has(request.rawHeaders) ||
      (isOfBrowser(request) && !this.crossOrigin.isOfBodyOrigin(request))
    );
  }

  private hasTokenHeader(request: WithRawHeaders): boolean {
    return linesOf(request, this.tokenHeader).length > 0;
  }
}

function whatIs({ method, url }: TransportRequest): string {
  return `${method} ${url.replace(/[?#].*$/s, '')}`;
}

function remember({ body }: TransportRequest): unknown {
  return isObject(body) && Object.hasOwn(body, 'remember') ? body['remember'] : undefined;
}
