import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { Public } from 'kit-auth';
import { type JsonRequest, KitAuthController, readTexts, TransportExchanges } from 'kit-auth/extend';
import { FactorLogin } from '../login/factor.login.js';

/** The second step of a login. */
@KitAuthController('login')
export class KitAuthLoginFactorController {
  constructor(
    private readonly login: FactorLogin,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('factor')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async factor(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { challenge, factor, code } = readTexts(request, ['challenge', 'factor', 'code']);
    return this.exchanges.write(await this.login.complete(challenge, factor, code), request, response);
  }
}
