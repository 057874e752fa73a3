import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { Public } from '../routes/require.decorators.js';
import { type JsonRequest, KitAuthController, readTexts, TransportExchanges } from './endpoint.js';
import { LoginFlow } from './login.flow.js';

/** The login with a password. Only where the user store can find accounts by name: see `loginEndpoint`. */
@KitAuthController()
export class KitAuthLoginController {
  constructor(
    private readonly flow: LoginFlow,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { username, password } = readTexts(request, ['username', 'password']);
    return this.exchanges.write(await this.flow.logIn(username, password), request, response);
  }
}
