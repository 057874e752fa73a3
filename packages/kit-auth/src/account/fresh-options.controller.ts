import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { Principal } from '../contract/login-proof.js';
import { KitAuthController } from '../endpoints/controller.js';
import { type JsonRequest, readTexts } from '../endpoints/json-body.js';
import { BeforeEnrolment } from '../routes/require.decorators.js';
import { FreshConfirmation } from './fresh-confirmation.js';

/** Begins confirmations for `POST fresh`. */
@KitAuthController()
export class KitAuthFreshOptionsController {
  constructor(
    private readonly confirmation: FreshConfirmation,
    private readonly context: KitAuthContext,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Post('fresh/options')
  @BeforeEnrolment()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async options(
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object | undefined> {
    const { factor } = readTexts(request, ['factor']);
    const answer = await this.confirmation.begin(this.context.principal() as Principal, factor);
    if (answer === undefined) {
      this.adapterHost.httpAdapter.status(response, HttpStatus.ACCEPTED);
    }
    return answer;
  }
}
