import { Inject, Injectable } from '@nestjs/common';
import type { TransportExchange, TransportRequest } from 'kit-auth';
import { bindingsIn, bindToBrowser, isBoundTo } from 'kit-auth/one-time';
import { KNOWN_SECONDS } from '../sending/known-places.js';
import { emailOptions, type ResolvedEmailOptions } from '../config/email.options.js';

/**
 * The cookie of the browser that has asked for a login link. The link works in this browser alone, so that a forwarded
 * link logs in nobody, and nobody can log somebody else in to their own account. Requests of a browser for several links
 * share the secret. After a login, it tells for thirty days that the address has logged in in this browser.
 *
 * Without `__Host-` and `Secure` if the login page is on `http://localhost`, which is never so in production.
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
