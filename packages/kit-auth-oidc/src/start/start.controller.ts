import { Res } from '@nestjs/common';
import type { TransportExchange } from 'kit-auth';
import { type AnswerOf, type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import { TransportExchanges } from 'kit-auth/login';
import { Navigation, prefersHtml, requireNavigation } from '../navigation.js';
import { oidcApi } from '../oidc.api.js';
import { Providers } from '../providers/providers.js';
import { type LoginRequest, OidcStart } from './start.js';

type Api = typeof oidcApi;

/** Sends browsers to providers. */
@KitAuthController()
export class KitAuthOidcStartController {
  constructor(
    private readonly providers: Providers,
    private readonly starts: OidcStart,
    private readonly exchanges: TransportExchanges,
    private readonly navigation: Navigation,
  ) {}

  @Endpoint(oidcApi, 'GET oidc')
  list(): AnswerOf<Api, 'GET oidc'> {
    return this.providers.all.map(({ name, title }) => ({ name, title }));
  }

  @Endpoint(oidcApi, 'GET oidc/{name}/start')
  async start(
    { params: { name }, query, request }: Call<Api, 'GET oidc/{name}/start'>,
    @Res() response: unknown,
  ): Promise<void> {
    const exchange = this.exchanges.exchange(request, response);
    try {
      requireNavigation(exchange);
      await this.goTo(this.starts.readLogin(name, query), response, exchange);
    } catch (error) {
      this.navigation.refuse(response, exchange, error);
    }
  }

  @Endpoint(oidcApi, 'POST oidc/{name}/link')
  async link(
    { params: { name }, body, request }: Call<Api, 'POST oidc/{name}/link'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<{ url: string }> {
    const exchange = this.exchanges.exchange(request, response);
    return { url: await this.starts.forUser('link', name, body, exchange) };
  }

  @Endpoint(oidcApi, 'POST oidc/{name}/fresh')
  async fresh(
    { params: { name }, body, request }: Call<Api, 'POST oidc/{name}/fresh'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<{ url: string }> {
    const exchange = this.exchanges.exchange(request, response);
    return { url: await this.starts.forUser('fresh', name, body, exchange) };
  }

  /** Redirects to the provider, or back to the page with a refusal. Clients that show no pages get an error. */
  private async goTo(login: LoginRequest, response: unknown, exchange: TransportExchange): Promise<void> {
    try {
      this.navigation.redirect(response, exchange, await this.starts.logIn(login, exchange));
    } catch (error) {
      if (!prefersHtml(exchange.request)) {
        throw error;
      }
      const fragment = this.navigation.fragmentOf(error, login.provider);
      this.navigation.finish(response, exchange, login, fragment);
    }
  }
}
