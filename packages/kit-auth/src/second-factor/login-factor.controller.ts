import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { KitAuthController } from '../endpoints/controller.js';
import { type JsonRequest, readAnswer } from '../endpoints/json-body.js';
import { TransportExchanges } from '../manager/transport.exchanges.js';
import { Public } from '../routes/require.decorators.js';
import { SecondFactorLogin } from './second-factor.login.js';

/** The second step of a login. */
@KitAuthController('login')
export class KitAuthLoginFactorController {
  constructor(
    private readonly login: SecondFactorLogin,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('factor')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async factor(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const shown = readAnswer(request, ['challenge']);
    return this.exchanges.write(await this.login.complete(shown, request), request, response);
  }
}
