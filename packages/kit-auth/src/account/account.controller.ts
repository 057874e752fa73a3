import type { IncomingMessage } from 'node:http';
import { Delete, Get, Header, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { SessionInfo } from '../contract/auth-sessions.js';
import type { Principal } from '../contract/login-proof.js';
import type { UserSummary } from '../contract/login-user.js';
import { TransportExchanges } from '../manager/transport.exchanges.js';
import { AuthManager } from '../manager/auth.manager.js';
import { badRequest } from '../errors/auth.exception.js';
import { type JsonRequest, readAnswer, readJsonObject, readTexts } from '../endpoints/json-body.js';
import { type LoginAnswer, summaryOf } from '../login/login.flow.js';
import { KitAuthController } from '../endpoints/controller.js';
import { ActiveLogins } from '../ports/active.provider.js';
import {
  BeforeEnrolment,
  BeforePasswordChange,
  ForActors,
  RequireFresh,
} from '../routes/require.decorators.js';
import { FreshConfirmation } from './fresh-confirmation.js';
import { OwnSessions } from './own-sessions.js';
import { PasswordChange } from './password-change.js';

/** Endpoints for the account of the current user. */
@KitAuthController()
export class KitAuthAccountController {
  constructor(
    private readonly manager: AuthManager,
    private readonly logins: ActiveLogins,
    private readonly context: KitAuthContext,
    private readonly passwordChange: PasswordChange,
    private readonly confirmation: FreshConfirmation,
    private readonly ownSessions: OwnSessions,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Get('me')
  @BeforePasswordChange()
  @BeforeEnrolment()
  @Header('Cache-Control', 'no-store')
  me(): UserSummary {
    return summaryOf(this.context.getOrThrow());
  }

  /** Revokes the token of the request. A stateless token stays valid until it expires, so clients have to delete it. */
  @Post('logout')
  @BeforePasswordChange()
  @BeforeEnrolment()
  @ForActors()
  @HttpCode(HttpStatus.NO_CONTENT)
  logout(): Promise<void> {
    return this.manager.logout();
  }

  @Post('password')
  @BeforePasswordChange()
  @HttpCode(HttpStatus.NO_CONTENT)
  async password(@Req() request: IncomingMessage & { body?: unknown }): Promise<void> {
    const texts = isFirstPassword(request)
      ? readTexts(request, ['newPassword'])
      : readTexts(request, ['currentPassword', 'newPassword']);
    const { endKeys = false } = readJsonObject(request);
    if (typeof endKeys !== 'boolean') {
      throw badRequest('"endKeys" must be true or false');
    }
    await this.passwordChange.change(this.context.principal() as Principal, { ...texts, endKeys });
  }

  /** Confirms the login with the password or another factor, for routes with `@RequireFresh()`. */
  @Post('fresh')
  @BeforeEnrolment()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async fresh(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    return this.exchanges.write(await this.confirmed(request), request, response);
  }

  @Get('sessions')
  @Header('Cache-Control', 'no-store')
  sessions(): Promise<SessionInfo[]> {
    return this.logins.sessions().listOf(this.context.getOrThrow().userId);
  }

  /** Sessions other than the current one need a fresh login. */
  @Delete('sessions/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  endSession(@Param('id') id: string): Promise<void> {
    return this.ownSessions.end(this.context.principal() as Principal, id);
  }

  /** Ends all other sessions (OWASP ASVS 7.5.2). */
  @Delete('sessions')
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  endOtherSessions(): Promise<void> {
    return this.ownSessions.endOthers(this.context.getOrThrow());
  }

  private confirmed(request: JsonRequest): Promise<LoginAnswer> {
    const former = this.context.principal() as Principal;
    if (Object.hasOwn(readJsonObject(request), 'factor')) {
      return this.confirmation.withFactor(former, readAnswer(request, []));
    }
    const { password } = readTexts(request, ['password']);
    return this.confirmation.withPassword(former, password);
  }
}

/** Whether a request leaves `currentPassword` out, which sets the first password of an account. */
function isFirstPassword({ body }: { body?: unknown }): boolean {
  const { newPassword } = (body ?? {}) as { newPassword?: unknown };
  return typeof newPassword === 'string' && !Object.hasOwn(body as object, 'currentPassword');
}
