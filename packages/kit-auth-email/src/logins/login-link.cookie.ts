import { Inject, Injectable } from '@nestjs/common';
import type { TransportExchange, TransportRequest } from 'kit-auth';
import { bindingsIn, bindToBrowser, isBoundTo } from 'kit-auth/store';
import { KNOWN_SECONDS } from '../mails/known-places.js';
import { emailOptions, type ResolvedEmailOptions } from '../email.options.js';

/**
 * The cookie of the browser that requested a login link. The link works in this browser alone, so forwarded links fail, and
 * login CSRF is impossible. All links that a browser requests share the secret. After a login, the cookie marks the browser as
 * known for thirty days.
 *
 * It lacks `__Host-` and `Secure` if the login page is on `http://localhost`, so never in production.
 */
@Injectable()
export class LoginLinkCookie {
  private readonly cookie: Parameters<typeof bindToBrowser>[1];

  constructor(@Inject(emailOptions.token) { settings: { links, loginLinks } }: ResolvedEmailOptions) {
    this.cookie = {
      name: 'kit-auth-login-link',
      seconds: loginLinks === false ? 0 : loginLinks.minutes * 60,
      isSecure: links.login?.startsWith('http:') !== true,
    };
  }

  /** @returns the hash of the secret */
  bind(exchange: TransportExchange): string {
    return bindToBrowser(
      exchange,
      this.hasOne(exchange) ? { ...this.cookie, seconds: KNOWN_SECONDS } : this.cookie,
    );
  }

  /** Keeps the secret of a browser that has logged in. */
  keep(exchange: TransportExchange): void {
    if (this.hasOne(exchange)) {
      this.bind(exchange);
    }
  }

  isOf(request: TransportRequest, secretHash: string): boolean {
    return isBoundTo(request, this.cookie, secretHash);
  }

  private hasOne({ request }: TransportExchange): boolean {
    return bindingsIn(request, this.cookie).length > 0;
  }
}
