import { Inject, Injectable } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';

/** Takes the token out of the configured header, without its prefix. */
@Injectable()
export class TokenReader {
  private readonly header: string;
  private readonly prefix: string;
  /** For a request that has the header without a token in it. Never repeats what was sent. */
  private readonly wrongHeader: string;

  constructor(@Inject(KIT_AUTH_SETTINGS) settings: KitAuthSettings) {
    this.header = settings.tokenHeader.toLowerCase();
    this.prefix = settings.tokenPrefix;
    this.wrongHeader =
      `The header ${settings.tokenHeader} holds no token: send "${settings.tokenHeader}: ${this.prefix}<token>", ` +
      'with the prefix in exactly this spelling';
  }

  /**
   * @param rawHeaders names and values in turn, as they came over the wire
   * @throws AuthException 40100 when no line of the header has the prefix and something behind it; 40101 when
   * the header comes twice, because Node and the proxies before it pick different lines then.
   */
  read(rawHeaders: readonly string[]): string {
    let token: string | undefined;
    let lines = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (this.isTokenHeader(rawHeaders[i] as string)) {
        lines++;
        token ??= this.stripPrefix(rawHeaders[i + 1] as string);
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

  private isTokenHeader(name: string): boolean {
    return name.length === this.header.length && name.toLowerCase() === this.header;
  }

  private stripPrefix(value: string): string | undefined {
    return value.length > this.prefix.length && value.startsWith(this.prefix)
      ? value.slice(this.prefix.length)
      : undefined;
  }
}
