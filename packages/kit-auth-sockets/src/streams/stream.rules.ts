import { type ExecutionContext, Injectable } from '@nestjs/common';
import { requiresToken, type RouteRule, RouteRules } from 'kit-auth/extend';
import { whileOpen } from '../connections/server-rule.js';

/** What the user of a handler has to meet for as long as it sends. */
@Injectable()
export class StreamRules {
  constructor(private readonly routes: RouteRules) {}

  /**
   * Without the requirement of a fresh login, which is met when the handler is called.
   *
   * @param request the one of the handler, or the one that opened its connection
   * @returns undefined for a handler that is open
   */
  of(context: ExecutionContext, request: { readonly url?: string | undefined }): RouteRule | undefined {
    const rule = this.routes.ruleFor(context, request as { url: string });
    if (rule.optional === undefined && !requiresToken(rule, request as { url: string }, true)) {
      return undefined;
    }
    return whileOpen(rule);
  }
}
