import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { TransportExchange, TransportRequest } from 'kit-auth';
import { bindingsIn, bindToBrowser, isBoundTo, unbindBrowser } from 'kit-auth/one-time';
import { oidcOptions, type ResolvedOidcOptions } from '../config/oidc.options.js';

/** How long an attempt may take. */
export const ATTEMPT_SECONDS = 600;
const PREFIX = 'kit-auth-oidc-';
/** Browsers limit the size of all cookies together. */
const MAX_COOKIES = 5;
/** 8 characters in base64url. */
const NAME_BYTES = 6;

/** The cookie that binds something to a browser, as it is stored. */
export interface Binding {
  readonly name: string;
  /** The hash of the secret. */
  readonly hash: string;
}

/** The cookies that bind attempts to browsers: one for each, so that two tabs do not disturb each other. */
@Injectable()
export class BrowserCookies {
  private readonly isSecure: boolean;

  constructor(@Inject(oidcOptions.token) { settings }: ResolvedOidcOptions) {
    this.isSecure = settings.redirectBase?.startsWith('http:') !== true;
  }

  /** Sets a cookie. Clears the oldest of more than five. */
  bind(exchange: TransportExchange): Binding {
    const { isSecure } = this;
    const known = bindingsIn(exchange.request, { name: PREFIX, isSecure });
    known.slice(0, Math.max(0, known.length - MAX_COOKIES + 1)).forEach((name) => {
      unbindBrowser(exchange, { name, isSecure });
    });
    const name = PREFIX + randomBytes(NAME_BYTES).toString('base64url');
    return { name, hash: bindToBrowser(exchange, { name, isSecure, seconds: ATTEMPT_SECONDS }) };
  }

  isBound(request: TransportRequest, { name, hash }: Binding): boolean {
    return isBoundTo(request, { name, isSecure: this.isSecure }, hash);
  }

  clear(exchange: TransportExchange, { name }: Binding): void {
    unbindBrowser(exchange, { name, isSecure: this.isSecure });
  }
}
