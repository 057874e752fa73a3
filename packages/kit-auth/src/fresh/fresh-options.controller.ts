import { HttpStatus, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { KitAuthContext } from '../context/kit-auth.context.js';
import type { Principal } from '../contract/login-proof.js';
import { KitAuthController } from '../endpoints/controller.js';
import { type Call, Endpoint } from '../endpoints/endpoint.js';
import { freshOptionsApi } from '../endpoints/core.api.js';
import { FreshConfirmation } from './fresh-confirmation.js';

/** Begins confirmations for `POST fresh`. */
@KitAuthController()
export class KitAuthFreshOptionsController {
  constructor(
    private readonly confirmation: FreshConfirmation,
    private readonly context: KitAuthContext,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  @Endpoint(freshOptionsApi, 'POST fresh/options')
  async options(
    { body }: Call<typeof freshOptionsApi, 'POST fresh/options'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object | undefined> {
    const answer = await this.confirmation.begin(this.context.principal() as Principal, body.factor);
    if (answer === undefined) {
      this.adapterHost.httpAdapter.status(response, HttpStatus.ACCEPTED);
    }
    return answer;
  }
}
