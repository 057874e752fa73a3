import { HttpStatus, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type AnswerOf, type Call, Endpoint, formTextOf, KitAuthController } from 'kit-auth/feature';
import { TransportExchanges } from 'kit-auth/login';
import { oidcApi } from '../oidc.api.js';
import { BackChannelLogout } from './back-channel.logout.js';
import { ProviderLogout } from './provider.logout.js';

type Api = typeof oidcApi;

/** Logouts that the user starts, and logouts that the provider starts. */
@KitAuthController()
export class KitAuthOidcLogoutController {
  constructor(
    private readonly providerLogout: ProviderLogout,
    private readonly backChannel: BackChannelLogout,
    private readonly exchanges: TransportExchanges,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Endpoint(oidcApi, 'POST oidc/logout')
  async logOut(
    { request }: Call<Api, 'POST oidc/logout'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<AnswerOf<Api, 'POST oidc/logout'>> {
    const url = await this.providerLogout.end();
    this.exchanges.clear(request, response);
    return url === undefined ? {} : { url };
  }

  /** The body is a form. */
  @Endpoint(oidcApi, 'POST oidc/{name}/backchannel-logout')
  async end(
    { params: { name }, request }: Call<Api, 'POST oidc/{name}/backchannel-logout'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const token = formTextOf(request, 'logout_token');
    if (token !== undefined && (await this.backChannel.end(name, token))) {
      return {};
    }
    this.adapterHost.httpAdapter.status(response, HttpStatus.BAD_REQUEST);
    return { error: 'invalid_request', error_description: 'The logout token is not valid' };
  }
}
