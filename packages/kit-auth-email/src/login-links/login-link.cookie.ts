import { Inject, Injectable } from '@nestjs/common';
import type { TransportExchange, TransportRequest } from 'kit-auth';
import { bindToBrowser, isBoundTo } from 'kit-auth/one-time';
import { KNOWN_SECONDS } from '../sending/known-places.js';
import { emailOptions, type ResolvedEmailOptions } from '../config/email.options.js';

/**
 * The cookie of the browser that has asked for a login link. The link works in this browser alone, so that a forwarded
 * link logs in nobody, and nobody can log somebody else in to their own account. Requests of a browser for several links
 * share the secret, which also tells later that the address has logged in in this browser.
 *
 * Without `__Host-` and `Secure` if the login page is on `http://localhost`, which is never so in production.
 */
@Injectable()
export class LoginLinkCookie {
  private readonly cookie: Parameters<typeof bindToBrowser>[1];

  constructor(@Inject(emailOptions.token) { settings: { links } }: ResolvedEmailOptions) {
    this.cookie = {
      name: 'kit-auth-login-link',
      seconds: KNOWN_SECONDS,
      isSecure: links.login?.startsWith('http:') !== true,
    };
  }

  /** @returns the hash of the secret */
  bind(exchange: TransportExchange): string {
    return bindToBrowser(exchange, this.cookie);
  }

  isOf(request: TransportRequest, secretHash: string): boolean {
    return isBoundTo(request, this.cookie, secretHash);
  }
}
