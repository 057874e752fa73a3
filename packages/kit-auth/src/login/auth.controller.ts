import type { IncomingMessage } from 'node:http';
import {
  Controller,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Post,
  Req,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { RequireToken } from '../routes/require.decorators.js';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { LoginResult, UserSummary } from '../contract/login-user.js';
import { BeforePasswordChange } from '../routes/before-password-change.decorator.js';
import { OnlyWhenEnabled } from './only-when-enabled.guard.js';
import { Public } from '../routes/public.decorator.js';
import { AuthManager, summaryOf } from './auth.manager.js';
import { readTexts } from './json-body.js';

/** Login and the current user, at the same address whatever versioning the application has. */
@Controller({ path: 'v1/api/auth', version: VERSION_NEUTRAL })
@UseGuards(OnlyWhenEnabled)
export class AuthController {
  constructor(
    private readonly manager: AuthManager,
    private readonly context: KitAuthContext,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: IncomingMessage & { body?: unknown }): Promise<LoginResult> {
    const { username, password } = readTexts(request, ['username', 'password']);
    return this.manager.login(username, password);
  }

  @Get('me')
  @BeforePasswordChange()
  @RequireToken()
  @Header('Cache-Control', 'no-store')
  me(): UserSummary {
    return summaryOf(this.context.getOrThrow());
  }
}
