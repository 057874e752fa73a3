import { Header, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Public } from 'kit-auth';
import { formTextOf, type JsonRequest, KitAuthController } from 'kit-auth/extend';
import { BackChannelLogout } from '../logout/back-channel.logout.js';

/** For servers of providers (OpenID Connect Back-Channel Logout 1.0). */
@KitAuthController('oidc')
export class KitAuthBackChannelController {
  constructor(
    private readonly logout: BackChannelLogout,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Post(':name/backchannel-logout')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async end(
    @Param('name') name: string,
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const token = formTextOf(request, 'logout_token');
    if (token !== undefined && (await this.logout.end(name, token))) {
      return {};
    }
    this.adapterHost.httpAdapter.status(response, HttpStatus.BAD_REQUEST);
    return { error: 'invalid_request', error_description: 'The logout token is not valid' };
  }
}
