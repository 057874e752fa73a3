import type { IncomingMessage } from 'node:http';
import {
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Req,
  UseGuards,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { RequireToken } from '../routes/require.decorators.js';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { SessionInfo } from '../contract/auth-sessions.js';
import { DependencyFailureInterceptor } from '../errors/dependency-failure.interceptor.js';
import { AuthEvents } from '../events/auth-events.js';
import { BeforePasswordChange } from '../routes/before-password-change.decorator.js';
import { OnlyWhenEnabled } from '../login/only-when-enabled.guard.js';
import { AuthManager } from '../login/auth.manager.js';
import { readTexts } from '../login/json-body.js';
import { PasswordChange } from './password-change.js';
import { OwnSessions } from './own-sessions.js';

/** What users do with their own account. */
@Controller({ path: 'v1/api/auth', version: VERSION_NEUTRAL })
@UseGuards(OnlyWhenEnabled)
@UseInterceptors(DependencyFailureInterceptor)
@RequireToken()
export class AccountController {
  constructor(
    private readonly manager: AuthManager,
    private readonly context: KitAuthContext,
    private readonly ownPassword: PasswordChange,
    private readonly ownSessions: OwnSessions,
    private readonly events: AuthEvents,
  ) {}

  /** Ends the token that came with the request; a stateless one is the client's to forget. */
  @Post('logout')
  @BeforePasswordChange()
  @HttpCode(HttpStatus.NO_CONTENT)
  async logout(): Promise<void> {
    const { userId, username } = this.context.getOrThrow();
    const action = this.events.begin();
    await this.manager.logout(this.context.token() as string);
    action.note({ type: 'logout', subjectId: userId, subject: username });
  }

  @Post('password')
  @BeforePasswordChange()
  @HttpCode(HttpStatus.NO_CONTENT)
  async password(@Req() request: IncomingMessage & { body?: unknown }): Promise<void> {
    const { currentPassword, newPassword } = readTexts(request, ['currentPassword', 'newPassword']);
    await this.ownPassword.change(this.context.getOrThrow(), currentPassword, newPassword);
  }

  @Get('sessions')
  @Header('Cache-Control', 'no-store')
  sessions(): Promise<SessionInfo[]> {
    return this.manager.sessions().listOf(this.context.getOrThrow().userId);
  }

  @Delete('sessions/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  endSession(@Param('id') id: string): Promise<void> {
    return this.ownSessions.end(this.context.getOrThrow(), id);
  }

  /** All but the one that the request came with. */
  @Delete('sessions')
  @HttpCode(HttpStatus.NO_CONTENT)
  endOtherSessions(): Promise<void> {
    return this.ownSessions.endOthers(this.context.getOrThrow());
  }
}
