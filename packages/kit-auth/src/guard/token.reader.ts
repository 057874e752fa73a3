import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { ActiveTransport } from '../provider/active.transport.js';
import { TokenResolver } from '../provider/token.resolver.js';

type WithHeaders = Pick<IncomingMessage, 'rawHeaders'>;
/** A request of Express, or one of Fastify, which has Node's own in `raw`. */
export type RequestWithHeaders = Partial<WithHeaders> & { readonly raw?: WithHeaders };

/**
 * Reads the token of a request: from the configured header, or from the token transport when there is no such header.
 */
@Injectable()
export class TokenReader {
  private readonly header: string;
  private readonly prefix: string;
  /** The message for a header without the prefix. It never repeats what was sent. */
  private readonly wrongHeader: string;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) settings: KitAuthSettings,
    private readonly transport: ActiveTransport,
    private readonly resolver: TokenResolver,
  ) {
    this.header = settings.tokenHeader.toLowerCase();
    this.prefix = settings.tokenPrefix;
    this.wrongHeader =
      `The header ${settings.tokenHeader} holds no token: send "${settings.tokenHeader}: ${this.prefix}<token>", ` +
      'with the prefix in exactly this spelling';
  }

  /**
   * @param onTransport called when the token transport has one
   * @throws AuthException 40100 when the request has no token; 40101 when the token header is present twice, because
   * Node and proxies pick different lines then; and what the transport throws
   */
  read(request: RequestWithHeaders, onTransport: () => void): string {
    const rawHeaders = request.rawHeaders ?? request.raw?.rawHeaders ?? [];
    let token: string | undefined;
    let lines = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (this.isTokenHeader(rawHeaders[i] as string)) {
        lines++;
        token ??= this.stripPrefix(rawHeaders[i + 1] as string);
      }
    }
    if (lines === 0) {
      token = this.fromTransport(request);
      if (token !== undefined) {
        onTransport();
      }
    }
    if (token === undefined) {
      throw AuthException.refusal(
        AuthErrorCode.TOKEN_MISSING,
        lines === 0 ? {} : { message: this.wrongHeader },
      );
    }
    if (lines > 1) {
      throw AuthException.refusal(AuthErrorCode.TOKEN_INVALID, { reason: 'malformed' });
    }
    return token;
  }

  /** Tokens of credentials are sent in the token header only. */
  private fromTransport(request: RequestWithHeaders): string | undefined {
    const token = this.transport.read(request);
    return token === undefined || this.resolver.isOfCredential(token) ? undefined : token;
  }

  private isTokenHeader(name: string): boolean {
    return name.length === this.header.length && name.toLowerCase() === this.header;
  }

  private stripPrefix(value: string): string | undefined {
    return value.length > this.prefix.length && value.startsWith(this.prefix)
      ? value.slice(this.prefix.length)
      : undefined;
  }
}
