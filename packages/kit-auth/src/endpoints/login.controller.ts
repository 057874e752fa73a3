import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { TransportExchanges } from '../manager/transport.exchanges.js';
import { PasswordLogin } from '../passwords/password.check.js';
import { KitAuthController } from './controller.js';
import { type JsonRequest, readTexts } from './json-body.js';
import { endpointsIfStoreHas } from './optional-endpoints.js';
import { Public } from '../routes/require.decorators.js';

/** The login with a password. Exists only if the user store can find accounts by name. */
@KitAuthController()
export class KitAuthLoginController {
  constructor(
    private readonly passwords: PasswordLogin,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { username, password } = readTexts(request, ['username', 'password']);
    return this.exchanges.write(await this.passwords.logIn(username, password, request), request, response);
  }
}

/** `POST login` exists only if the user store can find accounts by name. */
export const loginEndpoint = endpointsIfStoreHas(KitAuthLoginController, 'findByUsername');
