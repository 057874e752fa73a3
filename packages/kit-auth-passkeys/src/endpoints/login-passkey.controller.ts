import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { Public } from 'kit-auth';
import { type JsonRequest, KitAuthController, readJsonObject, TransportExchanges } from 'kit-auth/extend';
import { readAssertion } from '../ceremonies/responses.js';
import { PasskeyLogin, type RequestCeremony } from '../login/passkey.login.js';

/** The login with a passkey. */
@KitAuthController('login/passkey')
export class KitAuthLoginPasskeyController {
  constructor(
    private readonly login: PasskeyLogin,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('options')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async options(@Req() request: JsonRequest): Promise<RequestCeremony> {
    readJsonObject(request);
    return this.login.begin();
  }

  @Post()
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async complete(
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const answer = await this.login.complete(readAssertion(request), request);
    return this.exchanges.write(answer, request, response);
  }
}
