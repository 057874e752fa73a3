import { Injectable } from '@nestjs/common';
import { keepFromSharedCaches } from '../context/kit-auth.context.js';
import type { Principal } from '../contract/login-proof.js';
import { AuthException } from '../errors/auth.exception.js';
import { type RequestWithHeaders, TokenReader } from '../guard/token.reader.js';
import { TokenResolver } from '../ports/token.resolver.js';

/**
 * Reads the tokens of requests to routes with `@Public()`, for endpoints that accept other proofs, too. Most
 * handlers need `@OptionalUser()` instead.
 *
 * @example
 * // In a handler with @Public():
 * const principal = link.isValid ? undefined : await this.requests.principalOf(request);
 */
@Injectable()
export class RequestTokens {
  constructor(
    private readonly tokens: TokenReader,
    private readonly resolver: TokenResolver,
  ) {}

  /**
   * Resolves the token header, the token transport or a credential of a request. Checks no requirements of the route, and does not
   * fill `KitAuthContext`.
   *
   * @returns undefined when the request has no token
   * @throws AuthException 40101 for an invalid token, 40302 for a cookie that another site sends, 50300
   */
  async principalOf(request: RequestWithHeaders): Promise<Principal | undefined> {
    const token = this.tokens.read(request, keepFromSharedCaches);
    return token instanceof AuthException ? undefined : this.resolver.resolve(token, request);
  }
}
