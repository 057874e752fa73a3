import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuthException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { MAX_TOKEN_LENGTH, type Presented, type RequestWithHeaders, TokenReader } from 'kit-auth/login';
import { type ResolvedSocketsOptions, socketsOptions, type TokenPlace } from '../sockets.options.js';
import type { Handshake } from '../connections/handshake.js';

const IN_QUERY = /[?&](?:access_?token|token|auth|authorization|jwt)=/i;

/** Finds the one token of a handshake. */
@Injectable()
export class HandshakeToken {
  private readonly logger = new Logger('KitAuth');
  private readonly places: ReadonlySet<TokenPlace>;
  private readonly header: string;
  private readonly prefix: string;
  private hasWarned = false;

  constructor(
    private readonly reader: TokenReader,
    @Inject(socketsOptions.token) { settings }: ResolvedSocketsOptions,
    @Inject(KIT_AUTH_SETTINGS) { tokenHeader, tokenPrefix }: KitAuthSettings,
  ) {
    this.places = new Set(settings.from);
    this.header = tokenHeader.toLowerCase();
    this.prefix = tokenPrefix.trim();
  }

  /**
   * @returns the token, or 40100 if there is none
   * @throws AuthException 40101 `malformed` for two tokens and for one of the wrong form, 40302 for a cookie that the page
   * of another origin sends, and what credentials throw
   */
  find(handshake: Handshake): Presented | AuthException {
    this.warnOfQuery(handshake);
    const carried = this.reader.read(this.visible(handshake), () => undefined);
    const sent = this.sentIn(handshake.auth);
    if (sent === undefined) {
      return carried;
    }
    if (!(carried instanceof AuthException)) {
      throw invalidToken('malformed');
    }
    return this.given(sent);
  }

  /**
   * The token of a value that a client sent outside of the headers, alone or with the prefix of the token header.
   *
   * @throws AuthException 40101 `malformed` for one of the wrong form
   */
  given(value: unknown): Presented {
    const token = typeof value === 'string' ? this.reader.tokenOf(value) : '';
    const { length } = typeof token === 'string' ? token : token.token;
    if (length === 0 || length > MAX_TOKEN_LENGTH) {
      throw invalidToken('malformed');
    }
    return token;
  }

  /** The member `token`, or else the first with the name of the token header. Undefined if there is none. */
  private sentIn(auth: unknown): unknown {
    const members = typeof auth === 'object' && auth !== null ? Object.entries(auth) : [];
    const values = [
      ...members.filter(([name]) => name === 'token'),
      ...members.filter(([name, value]) => name.toLowerCase() === this.header && !this.isEmpty(value)),
    ].map(([, value]: [string, unknown]) => value);
    return values.find((value) => value !== undefined && value !== null);
  }

  /** An empty value, the prefix alone and another scheme count as no token, like in the header. */
  private isEmpty(value: unknown): boolean {
    const token = typeof value === 'string' ? this.reader.tokenOf(value.trim()) : undefined;
    return typeof token === 'string' && (token === '' || token === this.prefix || token.includes(' '));
  }

  /**
   * The handshake without the places that are switched off. Its method is `CONNECT`, like in HTTP/2, because the
   * origin rule for cookies spares methods that change nothing.
   */
  private visible({ request }: Handshake): RequestWithHeaders {
    const { url, headers, rawHeaders, socket } = request;
    const seen = this.places.has('header') ? rawHeaders : this.withoutHeader(rawHeaders);
    return {
      url,
      headers,
      rawHeaders: seen,
      socket,
      protocol: 'encrypted' in socket ? 'https' : 'http',
      ...(this.places.has('cookie') && { method: 'CONNECT' }),
    } as RequestWithHeaders;
  }

  private withoutHeader(rawHeaders: readonly string[]): string[] {
    return rawHeaders.filter((_, i) => rawHeaders[i - (i % 2)]?.toLowerCase() !== this.header);
  }

  private warnOfQuery({ request: { url = '' } }: Handshake): void {
    if (!this.hasWarned && IN_QUERY.test(url)) {
      this.hasWarned = true;
      this.logger.warn(
        '[auth] a client sends a token in the query of its handshake. It is ignored: proxies and servers log queries. ' +
          'Send it in the token header, in a cookie, in auth.token of socket.io, in connectionParams.token of ' +
          'GraphQL, or in the first message.',
      );
    }
  }
}
