import { Res } from '@nestjs/common';
import {
  type Call,
  Endpoint,
  type JsonRequest,
  KitAuthController,
  readBody,
  readJsonObject,
  TEXT,
} from 'kit-auth/feature';
import { type LoginAnswer, TransportExchanges } from 'kit-auth/login';
import { ADDRESS, emailApi } from '../email.api.js';
import { MailLimits } from '../mails/mail.limits.js';
import { LinkLogins, type ShownLink } from './link.logins.js';
import { LoginLinkCookie } from './login-link.cookie.js';
import { LoginLinks } from './login-links.js';

type Api = typeof emailApi;

/** Logins with a link in a mail. Only POST consumes a link: mail scanners and prefetching browsers send GET and HEAD. */
@KitAuthController()
export class KitAuthLoginLinkController {
  constructor(
    private readonly links: LoginLinks,
    private readonly logins: LinkLogins,
    private readonly cookie: LoginLinkCookie,
    private readonly limits: MailLimits,
    private readonly exchanges: TransportExchanges,
  ) {}

  /** Gives the same answer for every address, before any lookup. */
  @Endpoint(emailApi, 'POST login/link')
  async send(
    { body: { email, remember }, request }: Call<Api, 'POST login/link'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<void> {
    await this.limits.countRequest('login-link');
    const browser = this.cookie.bind(this.exchanges.exchange(request, response));
    this.links.sendTo(email, { browser, remember });
  }

  @Endpoint(emailApi, 'POST login/link/complete')
  async complete(
    { request }: Call<Api, 'POST login/link/complete'>,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<LoginAnswer> {
    const exchange = this.exchanges.exchange(request, response);
    const answer = await this.logins.logIn(shownIn(request), exchange.request);
    this.cookie.keep(exchange);
    return answer;
  }
}

/** @throws AuthException 40000 unless a request has a token, or an address and a code */
function shownIn(request: JsonRequest): ShownLink {
  if (Object.hasOwn(readJsonObject(request), 'token')) {
    return readBody({ token: TEXT }, request);
  }
  const { email, code } = readBody({ email: TEXT, code: TEXT }, request);
  return { key: ADDRESS.read(email, 'email').key, code };
}
