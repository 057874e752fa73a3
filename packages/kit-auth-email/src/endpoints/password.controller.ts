import { Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { AuthEvents, Public } from 'kit-auth';
import { type JsonRequest, KitAuthController, readTexts } from 'kit-auth/extend';
import { PasswordReset } from '../reset/password.reset.js';
import { ResetLinks } from '../reset/reset.links.js';
import { MailLimits } from '../sending/mail.limits.js';
import { readAddress } from './read-address.js';

/** Endpoints for users who forgot their password. */
@KitAuthController('password')
export class KitAuthForgottenPasswordController {
  constructor(
    private readonly links: ResetLinks,
    private readonly resets: PasswordReset,
    private readonly limits: MailLimits,
    private readonly events: AuthEvents,
  ) {}

  /** Gives the same answer for every address, before any lookup. */
  @Post('forgot')
  @Public()
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  async forgot(@Req() request: JsonRequest): Promise<void> {
    const action = this.events.begin();
    const { key } = readAddress(request);
    await this.limits.countRequest();
    this.links.sendTo(key, action);
  }

  @Post('reset')
  @Public()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  async reset(@Req() request: JsonRequest): Promise<void> {
    const { token, newPassword } = readTexts(request, ['token', 'newPassword']);
    await this.resets.reset(token, newPassword);
  }
}
