import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { transportRequestOf } from 'kit-auth/login';
import { BrowserTransport } from './browser.transport.js';

@Injectable()
export class SameOriginGuard implements CanActivate {
  constructor(private readonly transport: BrowserTransport) {}

  canActivate(context: ExecutionContext): boolean {
    // The third argument of a GraphQL resolver is its context. It has the HTTP request.
    const source =
      context.getType() === 'http'
        ? context.switchToHttp().getRequest<object>()
        : context.getArgByIndex<{ req?: object } | undefined>(2)?.req;
    const request = source && transportRequestOf(source);
    if (request !== undefined) {
      this.transport.requireSameOrigin(request);
    }
    return true;
  }
}

/**
 * Extends the origin rule to GET requests: a request with a cookie is refused with 40302 unless a page of the
 * application or of one of `origins` sent it, or the user typed its address. Use it for GET handlers that change
 * something, or whose answer another site must not embed. It also refuses links from other sites, and prefetches
 * (`Sec-Purpose` or `Purpose`) unless a page of the application requested them. Requests with a token header and other
 * methods are not affected.
 *
 * @example
 * ```ts
 * @Get('export')
 * @SameOrigin()
 * export() {}
 * ```
 */
export function SameOrigin(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(SameOriginGuard));
}
