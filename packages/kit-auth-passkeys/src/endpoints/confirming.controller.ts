import { Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { Public } from 'kit-auth';
import { badRequest, BeforeEnrolment, type JsonRequest, KitAuthController, readTexts } from 'kit-auth/extend';
import type { RequestCeremony } from '../login/passkey.login.js';
import { PasskeyConfirmation } from '../second-factor/passkey-confirmation.js';

/** Begins ceremonies for `POST login/factor` and `POST fresh`. */
@KitAuthController()
export class KitAuthConfirmingController {
  constructor(private readonly confirmation: PasskeyConfirmation) {}

  @Post('login/factor/options')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest): Promise<RequestCeremony> {
    const { challenge, factor } = readTexts(request, ['challenge', 'factor']);
    requirePasskey(factor);
    return this.confirmation.forLogin(challenge);
  }

  @Post('fresh/options')
  @BeforeEnrolment()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async fresh(@Req() request: JsonRequest): Promise<RequestCeremony> {
    requirePasskey(readTexts(request, ['factor']).factor);
    return this.confirmation.forFresh();
  }
}

function requirePasskey(factor: string): void {
  if (factor !== 'passkey') {
    throw badRequest('"factor" must be "passkey"');
  }
}
