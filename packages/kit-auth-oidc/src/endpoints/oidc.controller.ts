import { Get, Header, HttpCode, HttpStatus, Param, Post, Query, Req, Res } from '@nestjs/common';
import { Public, type TransportExchange } from 'kit-auth';
import {
  type JsonRequest,
  KitAuthController,
  nicknameFrom,
  readJsonObject,
  readTexts,
  TransportExchanges,
} from 'kit-auth/extend';
import { type Attempt, Attempts } from '../attempts/attempts.js';
import { type Destination, Destinations } from '../attempts/destinations.js';
import { Providers } from '../config/providers.js';
import { Callbacks, type Outcome } from '../login/callbacks.js';
import { CodeExchange } from '../login/exchanges.js';
import { SignUps } from '../login/sign-ups.js';
import { type LoginRequest, OidcStart, type StartQuery } from '../login/start.js';
import { externalLoginFailed } from '../contract/refusals.js';
import { fragmentOf } from './fragments.js';
import { isNavigation, Navigation, prefersHtml } from './navigation.js';

/** A provider, for a button of the login page. */
export interface ListedProvider {
  readonly name: string;
  readonly title: string;
}

/** Logins with providers. */
@KitAuthController('oidc')
export class KitAuthOidcController {
  constructor(
    private readonly providers: Providers,
    private readonly starts: OidcStart,
    private readonly attempts: Attempts,
    private readonly destinations: Destinations,
    private readonly callbacks: Callbacks,
    private readonly codes: CodeExchange,
    private readonly signUps: SignUps,
    private readonly exchanges: TransportExchanges,
    private readonly navigation: Navigation,
  ) {}

  @Get()
  @Public()
  list(): ListedProvider[] {
    return this.providers.all.map(({ name, title }) => ({ name, title }));
  }

  @Get(':name/start')
  @Public()
  async start(
    @Param('name') name: string,
    @Query() query: StartQuery,
    @Req() request: object,
    @Res() response: unknown,
  ): Promise<void> {
    const exchange = this.exchanges.exchange(request, response);
    try {
      requireNavigation(exchange);
      await this.begin(this.starts.readLogin(name, query), response, exchange);
    } catch (error) {
      this.navigation.refuse(response, exchange, this.navigation.refusalOf(error));
    }
  }

  @Get(':name/callback')
  @Public()
  async callback(
    @Param('name') name: string,
    @Query('state') state: unknown,
    @Req() request: object,
    @Res() response: unknown,
  ): Promise<void> {
    const exchange = this.exchanges.exchange(request, response);
    try {
      requireNavigation(exchange);
      const attempt = await this.attempts.find(name, typeof state === 'string' ? state : '', exchange);
      if (this.lacksStrictCookies(attempt, exchange)) {
        this.navigation.goOn(response, exchange, this.callbackUrl(name, exchange).href);
        return;
      }
      await attempt.end();
      const outcome = await this.outcomeOf(attempt, request, response, exchange);
      this.finish(response, exchange, attempt, outcome);
    } catch (error) {
      this.navigation.refuse(response, exchange, this.navigation.refusalOf(error));
    }
  }

  /** For apps, and for pages without cookies. */
  @Post('exchange')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async exchange(
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const { code, verifier } = readTexts(request, ['code', 'verifier']);
    const { answer, remember } = await this.codes.exchange(code, verifier, request);
    return answer === undefined ? {} : this.exchanges.write(answer, request, response, remember);
  }

  /** Creates the account of a sign-up. */
  @Post('complete')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async complete(
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const { token } = readTexts(request, ['token']);
    const { nickname, verifier } = readJsonObject(request);
    const completion = {
      token,
      nickname: nicknameFrom(nickname),
      verifier: typeof verifier === 'string' ? verifier : undefined,
    };
    const exchange = this.exchanges.exchange(request, response);
    const { answer, remember } = await this.signUps.complete(completion, request, exchange);
    return this.exchanges.write(answer, request, response, remember);
  }

  /** Goes to the provider, or back to the page with the reason why not. Clients that show no pages get an error. */
  private async begin(login: LoginRequest, response: unknown, exchange: TransportExchange): Promise<void> {
    try {
      this.navigation.redirect(response, exchange, await this.starts.logIn(login, exchange));
    } catch (error) {
      if (!prefersHtml(exchange.request)) {
        throw error;
      }
      const fragment = fragmentOf(this.navigation.refusalOf(error), login.provider);
      this.finish(response, exchange, login, { fragment });
    }
  }

  /** Whether the login that asks cannot be seen yet, because the browser comes from another site. */
  private lacksStrictCookies({ asking, challenge }: Attempt, { request }: TransportExchange): boolean {
    return (
      asking !== undefined &&
      challenge === undefined &&
      this.destinations.areStrict &&
      request.headers['sec-fetch-site'] === 'cross-site'
    );
  }

  /** As the provider knows it, whatever host the request names. */
  private callbackUrl(name: string, { request }: TransportExchange): URL {
    const url = new URL(this.providers.get(name).redirectUri);
    url.search = request.url.slice((request.url + '?').indexOf('?'));
    return url;
  }

  private async outcomeOf(
    attempt: Attempt,
    request: object,
    response: unknown,
    exchange: TransportExchange,
  ): Promise<Pick<Outcome, 'fragment'>> {
    try {
      const url = this.callbackUrl(attempt.provider, exchange);
      const { fragment, answer } = await this.callbacks.complete(attempt, url, request, exchange);
      if (answer !== undefined) {
        // A confirmed login is remembered as it was before.
        const remember = attempt.purpose === 'login' ? attempt.remember : undefined;
        await this.exchanges.write(answer, request, response, remember);
      }
      return { fragment };
    } catch (error) {
      return { fragment: fragmentOf(this.navigation.refusalOf(error), attempt.provider) };
    }
  }

  private finish(
    response: unknown,
    exchange: TransportExchange,
    { returnTo, challenge }: Destination,
    { fragment }: Pick<Outcome, 'fragment'>,
  ): void {
    const url = `${returnTo}#${new URLSearchParams(fragment).toString()}`;
    if (challenge === undefined && this.destinations.areStrict) {
      this.navigation.goOn(response, exchange, url);
    } else {
      this.navigation.redirect(response, exchange, url);
    }
  }
}

/** @throws AuthException 40114 `state` */
function requireNavigation({ request }: TransportExchange): void {
  if (!isNavigation(request)) {
    throw externalLoginFailed('state');
  }
}
