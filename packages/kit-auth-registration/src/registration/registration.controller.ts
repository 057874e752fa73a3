import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { Public } from 'kit-auth';
import {
  type JsonRequest,
  KitAuthController,
  readJsonObject,
  readTexts,
  TransportExchanges,
} from 'kit-auth/extend';
import { readAddress } from 'kit-auth-email/extend';
import { readLocale, readNickname } from '../input/bodies.js';
import { Completions } from './completions.js';
import { Registrations } from './registrations.js';

/** Only POST consumes a link: mail scanners and prefetching browsers send GET and HEAD. */
@KitAuthController('register')
export class KitAuthRegistrationController {
  constructor(
    private readonly registrations: Registrations,
    private readonly completions: Completions,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post()
  @Public()
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  async register(@Req() request: JsonRequest): Promise<void> {
    this.registrations.requireOpen();
    const address = readAddress(request);
    await this.registrations.request(address, readLocale(readJsonObject(request)));
  }

  @Post('complete')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async complete(
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const { token, password } = readTexts(request, ['token', 'password']);
    const nickname = readNickname(readJsonObject(request));
    const answer = await this.completions.complete(token, { password, nickname }, request);
    return this.exchanges.write(answer, request, response);
  }
}
