import { Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { Public } from 'kit-auth';
import { badRequest, type JsonRequest, KitAuthController, readTexts } from 'kit-auth/extend';
import type { RequestCeremony } from '../login/passkey.login.js';
import { PasskeyConfirmation } from '../second-factor/passkey-confirmation.js';

/** Begins ceremonies for `POST login/factor`. */
@KitAuthController()
export class KitAuthConfirmingController {
  constructor(private readonly confirmation: PasskeyConfirmation) {}

  @Post('login/factor/options')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest): Promise<RequestCeremony> {
    const { challenge, factor } = readTexts(request, ['challenge', 'factor']);
    if (factor !== 'passkey') {
      throw badRequest('"factor" must be "passkey"');
    }
    return this.confirmation.forLogin(challenge);
  }
}
