import { Get, Headers, Res } from '@nestjs/common';
import { Public } from 'kit-auth';
import { KitAuthController, WellKnownController } from 'kit-auth/extend';
import { JwksAnswer, type PlatformResponse } from './jwks.answer.js';

/** Publishes the public keys, so that other applications can verify our tokens. */
@KitAuthController('jwks')
export class KitAuthJwksController {
  constructor(private readonly answer: JwksAnswer) {}

  @Get()
  @Public()
  list(
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): string | undefined {
    return this.answer.to(known, response);
  }
}

/** The same, where many clients look for it. */
@WellKnownController('jwks.json')
export class KitAuthWellKnownJwksController {
  constructor(private readonly answer: JwksAnswer) {}

  @Get()
  list(
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) response: PlatformResponse,
  ): string | undefined {
    return this.answer.to(known, response);
  }
}
