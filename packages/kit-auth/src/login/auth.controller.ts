import { Get, Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { UserSummary } from '../contract/login-user.js';
import { BeforePasswordChange } from '../routes/before-password-change.decorator.js';
import { Public } from '../routes/public.decorator.js';
import { RequireToken } from '../routes/require.decorators.js';
import { type JsonRequest, readTexts } from './json-body.js';
import { KitAuthController } from './kit-auth-controller.decorator.js';
import { LoginFlow, summaryOf } from './login.flow.js';
import { TransportExchanges } from './transport-exchanges.js';

/** Login and the current user. */
@KitAuthController()
export class AuthController {
  constructor(
    private readonly flow: LoginFlow,
    private readonly exchanges: TransportExchanges,
    private readonly context: KitAuthContext,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { username, password } = readTexts(request, ['username', 'password']);
    return this.exchanges.write(await this.flow.logIn(username, password), request, response);
  }

  @Get('me')
  @BeforePasswordChange()
  @RequireToken()
  @Header('Cache-Control', 'no-store')
  me(): UserSummary {
    return summaryOf(this.context.getOrThrow());
  }
}
