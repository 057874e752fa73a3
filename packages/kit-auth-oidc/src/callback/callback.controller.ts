import { Res } from '@nestjs/common';
import type { TransportExchange } from 'kit-auth';
import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import { type LoginAnswer, TransportExchanges } from 'kit-auth/login';
import { type Fragment, Navigation, requireNavigation } from '../navigation.js';
import { oidcApi } from '../oidc.api.js';
import { Providers } from '../providers/providers.js';
import { SignUps } from '../sign-up/sign-ups.js';
import { type Attempt, Attempts } from '../start/attempts.js';
import { Destinations } from '../start/destinations.js';
import { Callbacks } from './callback.js';
import { CodeExchange } from './code.exchange.js';

type Api = typeof oidcApi;

/** Completes logins with providers. */
@KitAuthController()
export class KitAuthOidcCallbackController {
  constructor(
    private readonly providers: Providers,
    private readonly attempts: Attempts,
    private readonly destinations: Destinations,
    private readonly callbacks: Callbacks,
    private readonly codes: CodeExchange,
    private readonly signUps: SignUps,
    private readonly exchanges: TransportExchanges,
    private readonly navigation: Navigation,
  ) {}

  @Endpoint(oidcApi, 'GET oidc/{name}/callback')
  async callback(
    { params: { name }, query: { state }, request }: Call<Api, 'GET oidc/{name}/callback'>,
    @Res() response: unknown,
  ): Promise<void> {
    const exchange = this.exchanges.exchange(request, response);
    try {
      requireNavigation(exchange);
      const attempt = await this.attempts.find(name, typeof state === 'string' ? state : '', exchange);
      if (this.lacksStrictCookies(attempt, exchange)) {
        this.navigation.forward(response, exchange, this.callbackUrl(name, exchange).href);
        return;
      }
      await attempt.end();
      const fragment = await this.complete(attempt, request, response);
      this.navigation.finish(response, exchange, attempt, fragment);
    } catch (error) {
      this.navigation.refuse(response, exchange, error);
    }
  }

  /** For apps, and for pages without cookies. */
  @Endpoint(oidcApi, 'POST oidc/exchange')
  exchange({
    body: { code, verifier },
    request,
  }: Call<Api, 'POST oidc/exchange'>): Promise<LoginAnswer | undefined> {
    return this.codes.exchange(code, verifier, request);
  }

  /** Creates the account of a sign-up. */
  @Endpoint(oidcApi, 'POST oidc/complete')
  signUp(
    { body, request }: Call<Api, 'POST oidc/complete'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<LoginAnswer> {
    return this.signUps.complete(body, request, this.exchanges.exchange(request, response));
  }

  /** @returns the outcome for the page. Refusals are outcomes as well */
  private async complete(attempt: Attempt, request: object, response: unknown): Promise<Fragment> {
    try {
      const exchange = this.exchanges.exchange(request, response);
      const url = this.callbackUrl(attempt.provider, exchange);
      const { fragment, answer } = await this.callbacks.complete(attempt, url, request, exchange);
      if (answer !== undefined) {
        // A confirmation does not change whether the browser remembers the login.
        const remember = attempt.purpose === 'login' ? attempt.remember : undefined;
        await this.exchanges.write({ ...answer, remember }, request, response);
      }
      return fragment;
    } catch (error) {
      return this.navigation.fragmentOf(error, attempt.provider);
    }
  }

  /** Whether the cookies of the initiator are missing, because the browser comes from another site. */
  private lacksStrictCookies({ initiator, challenge }: Attempt, { request }: TransportExchange): boolean {
    return (
      initiator !== undefined &&
      challenge === undefined &&
      this.destinations.areStrict &&
      request.headers['sec-fetch-site'] === 'cross-site'
    );
  }

  /** The URL of the callback as the provider knows it, even if the request has another host. */
  private callbackUrl(name: string, { request }: TransportExchange): URL {
    const url = new URL(this.providers.get(name).redirectUri);
    url.search = request.url.slice((request.url + '?').indexOf('?'));
    return url;
  }
}
