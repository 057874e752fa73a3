import { Inject, Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthEvents, AuthException } from 'kit-auth';
import type { ResolvedOptions } from 'kit-auth/feature';
import { browserOptions, type BrowserSettings } from './browser.options.js';
import { linesOf } from './headers.js';
import { type OriginRequest, OriginRule } from './origin.rule.js';

declare module 'kit-auth' {
  interface AuthEventTypes {
    'cross-origin-refused': true;
  }
}

/** Refuses requests of other origins, and publishes an event. */
@Injectable()
export class CrossOrigin {
  private readonly forCookies: OriginRule;
  private readonly forAllPages: OriginRule;
  private readonly bodyOrigins: readonly string[];

  constructor(
    @Inject(browserOptions.token) { settings }: ResolvedOptions<BrowserSettings>,
    private readonly events: AuthEvents,
  ) {
    this.bodyOrigins = settings.bodyOrigins;
    this.forCookies = new OriginRule(settings.origins);
    this.forAllPages = new OriginRule([...settings.origins, ...settings.bodyOrigins]);
  }

  /** True for requests of pages that get tokens in bodies. */
  isOfBodyOrigin(request: OriginRequest): boolean {
    const [origin, ...others] = linesOf(request, 'origin');
    return origin !== undefined && others.length === 0 && this.bodyOrigins.includes(origin);
  }

  /** Checks requests that a cookie authenticates. @throws AuthException 40302 */
  refuseWithCookie(request: OriginRequest, what: string): void {
    this.refuse(this.forCookies, request, what);
  }

  /** Checks requests of browsers to open endpoints. @throws AuthException 40302 */
  refuseOpen(request: OriginRequest, what: string): void {
    this.refuse(this.forAllPages, request, what);
  }

  private refuse(rule: OriginRule, request: OriginRequest, what: string): void {
    const reason = rule.refusalOf(request);
    if (reason !== undefined) {
      const origin = linesOf(request, 'origin').join(', ');
      const detail = `${reason}: ${what}${origin === '' ? '' : ` of ${origin}`}`;
      // All requests count as one handler: their senders are not logged in, and could otherwise fill the audit log.
      this.events
        .begin()
        .note({ type: 'cross-origin-refused', success: false, detail, handler: 'cross-origin-refused' });
      throw AuthException.refusal(AuthErrorCode.CROSS_ORIGIN, { reason });
    }
  }
}
