import { Header, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import { Public } from 'kit-auth';
import {
  badRequest,
  type JsonRequest,
  KitAuthController,
  readJsonObject,
  readTexts,
  TransportExchanges,
} from 'kit-auth/extend';
import { LinkLogins, type ShownLink } from '../login-links/link.logins.js';
import { LoginLinkCookie } from '../login-links/login-link.cookie.js';
import { LoginLinks } from '../login-links/login-links.js';
import { MailLimits } from '../sending/mail.limits.js';
import { readAddress } from './read-address.js';

/** Logins with a link in a mail. Only POST consumes a link: mail scanners and prefetching browsers send GET and HEAD. */
@KitAuthController('login/link')
export class KitAuthLoginLinkController {
  constructor(
    private readonly links: LoginLinks,
    private readonly logins: LinkLogins,
    private readonly cookie: LoginLinkCookie,
    private readonly limits: MailLimits,
    private readonly exchanges: TransportExchanges,
  ) {}

  /** Gives the same answer for every address, before any lookup. */
  @Post()
  @Public()
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  async send(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<void> {
    const address = readAddress(request);
    const remember = readRemember(request);
    await this.limits.countRequest('login-link');
    const browser = this.cookie.bind(this.exchanges.exchange(request, response));
    this.links.sendTo(address, { browser, remember });
  }

  @Post('complete')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async complete(
    @Req() request: JsonRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<object> {
    const exchange = this.exchanges.exchange(request, response);
    const { answer, remember } = await this.logins.logIn(readShown(request), exchange.request);
    this.cookie.keep(exchange);
    return this.exchanges.write(answer, request, response, remember);
  }
}

function readShown(request: JsonRequest): ShownLink {
  if (Object.hasOwn(readJsonObject(request), 'token')) {
    return readTexts(request, ['token']);
  }
  const { code } = readTexts(request, ['email', 'code']);
  return { key: readAddress(request).key, code };
}

function readRemember(request: JsonRequest): boolean | undefined {
  const body = readJsonObject(request);
  const remember = Object.hasOwn(body, 'remember') ? body['remember'] : undefined;
  if (remember !== undefined && typeof remember !== 'boolean') {
    throw badRequest('"remember" must be true or false');
  }
  return remember;
}
