import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { AuthCredential } from '../contract/auth-credential.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, invalidToken } from '../errors/auth.exception.js';
import { askTransport, Ports, transportRequestOf } from '../ports/ports.js';
import type { OwnToken, Presented } from '../ports/token.resolver.js';

type WithHeaders = Pick<IncomingMessage, 'rawHeaders'> & Partial<Pick<IncomingMessage, 'headers'>>;
/** A request of Express, or one of Fastify, which has Node's own in `raw`. */
export type RequestWithHeaders = Partial<WithHeaders> & { readonly raw?: WithHeaders };

/**
 * Reads the token of a request: from the configured header, or from the token transport or a credential when there is no
 * such header.
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
   * @param onTransport called when there is a token outside of the token header
   * @returns the token, or 40100 if there is none. Throwing it would cost more than everything else here
   * @throws AuthException 40101 when the token header is present twice, because Node and proxies pick different lines
   * then, and when there are two tokens outside of it; and what the transport or a credential throws
   */
  read(request: RequestWithHeaders, onTransport: () => void): Presented | AuthException {
    const rawHeaders = request.rawHeaders ?? request.raw?.rawHeaders ?? [];
    let token: Presented | undefined;
    let lines = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (this.isTokenHeader(rawHeaders[i] as string)) {
        lines++;
        const value = rawHeaders[i + 1] as string;
        token ??= this.stripPrefix(value) ?? this.withOwnScheme(value);
      }
    }
    if (lines === 0) {
      return this.readElsewhere(request, onTransport);
    }
    if (token === undefined) {
      return this.missing(request, lines);
    }
    if (lines > 1) {
      throw invalidToken('malformed');
    }
    return token;
  }

  /** The token of a value outside of the headers, such as a message: the token alone, or what the token header would have. */
  tokenOf(value: string): Presented {
    return this.stripPrefix(value) ?? this.withOwnScheme(value) ?? value;
  }

  private readElsewhere(request: RequestWithHeaders, onTransport: () => void): Presented | AuthException {
    const carried = this.carriedBy(request);
    const isOfCredential = carried !== undefined && this.ports.credentialOf(carried) !== undefined;
    let token: Presented | undefined = isOfCredential ? undefined : carried;
    for (const credential of this.ports.credentials) {
      const own = readBy(credential, request);
      if (own !== undefined && token !== undefined) {
        throw invalidToken('malformed');
      }
      token ??= own;
    }
    if (token === undefined) {
      return this.missing(request, 0, isOfCredential);
    }
    onTransport();
    return token;
  }

  private missing(request: RequestWithHeaders, lines: number, isOfCredential = false): AuthException {
    const message = this.problemOf(request, lines, isOfCredential);
    return AuthException.refusal(AuthErrorCode.TOKEN_MISSING, { message });
  }

  private withOwnScheme(value: string): OwnToken | undefined {
    const [, name = '', token] = /^([^ ]+) +([^ ].*)$/.exec(value) ?? [];
    const credential = this.ports.credentials.find(
      ({ authScheme }) => authScheme?.toLowerCase() === name.toLowerCase(),
    );
    return credential === undefined || token === undefined ? undefined : { token, credential };
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

/** The token that a credential finds in a request without a token header. */
function readBy(credential: AuthCredential, request: object): OwnToken | undefined {
  const transportRequest = credential.read && transportRequestOf(request);
  const token = transportRequest && credential.read?.(transportRequest);
  return token === undefined ? undefined : { token, credential };
}
