import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { Public } from '../routes/public.decorator.js';
import { AuthManager } from './auth.manager.js';
import { type JsonRequest, readTexts } from './json-body.js';
import { KitAuthController } from './kit-auth-controller.decorator.js';
import { LoginFlow } from './login.flow.js';
import { TransportExchanges } from './transport-exchanges.js';

/** The login with a password. Only where the user store can find accounts by name: see `loginEndpoint`. */
@KitAuthController()
export class KitAuthLoginController {
  constructor(
    private readonly flow: LoginFlow,
    private readonly manager: AuthManager,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { username, password } = readTexts(request, ['username', 'password']);
    const answer = await this.flow.logIn(username, password);
    try {
      return this.exchanges.write(answer, request, response);
    } catch (error) {
      await this.manager.logout(answer.token); // nobody gets it
      throw error;
    }
  }
}
