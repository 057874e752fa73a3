import { Header, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { RequireFresh } from 'kit-auth';
import {
  BeforeEnrolment,
  BeforePasswordChange,
  ForActors,
  type JsonRequest,
  KitAuthController,
  OWN_CHANGES,
  readJsonObject,
  TransportExchanges,
} from 'kit-auth/extend';
import { OidcStart } from '../login/start.js';
import { ProviderLogout } from '../logout/provider.logout.js';

/** What users who are logged in do with providers. */
@KitAuthController('oidc')
export class KitAuthOidcAccountController {
  constructor(
    private readonly starts: OidcStart,
    private readonly ends: ProviderLogout,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post(':name/link')
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  link(
    @Param('name') name: string,
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<{ url: string }> {
    return this.start('link', name, request, response);
  }

  @Post(':name/fresh')
  @BeforeEnrolment()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  fresh(
    @Param('name') name: string,
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<{ url: string }> {
    return this.start('fresh', name, request, response);
  }

  @Post('logout')
  @ForActors()
  @BeforeEnrolment()
  @BeforePasswordChange()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async logout(
    @Req() request: object,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<{ url?: string }> {
    const url = await this.ends.end();
    this.exchanges.clear(request, response);
    return url === undefined ? {} : { url };
  }

  private async start(
    purpose: 'link' | 'fresh',
    name: string,
    request: JsonRequest,
    response: unknown,
  ): Promise<{ url: string }> {
    const body = readJsonObject(request);
    const exchange = this.exchanges.exchange(request, response);
    return { url: await this.starts.forUser(purpose, name, body, exchange) };
  }
}
