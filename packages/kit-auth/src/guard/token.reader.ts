import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, invalidToken } from '../errors/auth.exception.js';
import { askTransport, Ports } from '../ports/ports.js';

type WithHeaders = Pick<IncomingMessage, 'rawHeaders'> & Partial<Pick<IncomingMessage, 'headers'>>;
/** A request of Express, or one of Fastify, which has Node's own in `raw`. */
export type RequestWithHeaders = Partial<WithHeaders> & { readonly raw?: WithHeaders };

/**
 * Reads the token of a request: from the configured header, or from the token transport when there is no such header.
 */
@Injectable()
export class TokenReader {
  private readonly header: string;
  private readonly prefix: string;

  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
    private readonly ports: Ports,
  ) {
    this.header = settings.tokenHeader.toLowerCase();
    this.prefix = settings.tokenPrefix;
  }

  /**
   * @param onTransport called when the token transport has one
   * @returns the token, or 40100 if there is none. Throwing it would cost more than everything else here
   * @throws AuthException 40101 when the token header is present twice, because Node and proxies pick different lines
   * then; and what the transport throws
   */
  read(request: RequestWithHeaders, onTransport: () => void): string | AuthException {
    const rawHeaders = request.rawHeaders ?? request.raw?.rawHeaders ?? [];
    let token: string | undefined;
    let lines = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (this.isTokenHeader(rawHeaders[i] as string)) {
        lines++;
        token ??= this.stripPrefix(rawHeaders[i + 1] as string);
      }
    }
    const carried = lines === 0 ? this.carriedBy(request) : undefined;
    const isOfCredential = carried !== undefined && this.ports.credentialOf(carried) !== undefined;
    if (carried !== undefined && !isOfCredential) {
      token = carried;
      onTransport();
    }
    if (token === undefined) {
      const message = this.problemOf(request, lines, isOfCredential);
      return AuthException.refusal(AuthErrorCode.TOKEN_MISSING, { message });
    }
    if (lines > 1) {
      throw invalidToken('malformed');
    }
    return token;
  }

  private carriedBy(request: RequestWithHeaders): string | undefined {
    return askTransport(this.ports.transport, request, (transport, transportRequest) =>
      transport.read(transportRequest),
    );
  }

  /** Why a request has no token, for the client. It never repeats what was sent. */
  private problemOf(request: RequestWithHeaders, lines: number, isOfCredential: boolean): string | undefined {
    const { tokenHeader, tokenPrefix } = this.settings;
    const parsed = (request.headers ?? request.raw?.headers)?.[this.header];
    if (typeof parsed === 'string' && (lines === 0 || this.stripPrefix(parsed) !== undefined)) {
      return (
        `The header ${tokenHeader} was added or changed in the application, such as by a middleware. Tokens are read from ` +
        'the headers as they were received (rawHeaders)'
      );
    }
    const cure = `send "${tokenHeader}: ${tokenPrefix}<token>"`;
    if (lines > 0) {
      return `The header ${tokenHeader} holds no token: ${cure}, with the prefix in exactly this spelling`;
    }
    return isOfCredential
      ? `A token of this kind, such as an API key, is read from the header ${tokenHeader} only: ${cure}`
      : undefined;
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
