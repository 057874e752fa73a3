import { Inject, Injectable, Logger } from '@nestjs/common';
import { AuthErrorCode, AuthException, type TransportRequest } from 'kit-auth';
import { cookiesIn, invalidToken, type ResolvedOptions } from 'kit-auth/feature';
import { browserOptions, type BrowserSettings } from './browser.options.js';
import { linesOf } from './headers.js';

/** `token` and `refreshToken` contain tokens. `remember` says that they outlive the browser's session. */
export type CookieKind = 'token' | 'refreshToken' | 'remember';
type CookieRequest = Pick<TransportRequest, 'rawHeaders' | 'host' | 'protocol'>;

const SUFFIXES: Readonly<Record<CookieKind, string>> = {
  token: '',
  refreshToken: '-refresh',
  remember: '-remember',
};
export const COOKIE_KINDS = Object.keys(SUFFIXES) as CookieKind[];
/** The limit of the name and the value together (RFC 6265bis, section 5.6). Browsers drop longer cookies silently. */
const MAX_BYTES = 4096;
/** RFC 6265bis, section 5.5: 400 days. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const LOCALHOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Reads and writes the cookies. */
@Injectable()
export class BrowserCookies {
  private readonly logger = new Logger('KitAuthBrowser');
  private readonly settings: BrowserSettings;

  constructor(@Inject(browserOptions.token) { settings }: ResolvedOptions<BrowserSettings>) {
    this.settings = settings;
  }

  /** The name of the cookie of the token, except with `insecureLocalhost`. */
  get name(): string {
    return `__Host-${this.settings.name}`;
  }

  /**
   * The value of a cookie, or undefined if it is absent or empty.
   *
   * @throws AuthException 40101 `malformed` if it is present twice: an attacker may have planted either of them
   */
  read(request: CookieRequest, kind: CookieKind): string | undefined {
    const [value, ...others] = cookiesIn(linesOf(request, 'cookie'), this.nameOf(request, kind));
    if (others.length > 0) {
      throw invalidToken('malformed');
    }
    return value === '' ? undefined : value;
  }

  /** Also true for a cookie that is present twice. */
  has(request: CookieRequest, kind: CookieKind): boolean {
    try {
      return this.read(request, kind) !== undefined;
    } catch {
      return true;
    }
  }

  /**
   * The value of a `Set-Cookie` header.
   *
   * @param endsAt seconds since 1970; undefined for a cookie that ends with the browser's session
   * @throws AuthException 50300 for a token that no cookie can carry
   */
  write(request: CookieRequest, kind: CookieKind, value: string, endsAt?: number): string {
    const name = this.nameOf(request, kind);
    const bytes = name.length + value.length;
    if (!COOKIE_VALUE.test(value) || bytes > MAX_BYTES) {
      const problem =
        bytes > MAX_BYTES ? `has ${bytes} bytes, ${MAX_BYTES} is the most` : 'has other characters';
      this.logger.error(
        `[auth] a login or its renewal failed, because its cookie cannot be set: it ${problem}. ` +
          'The tokens of kit-auth-session are short, whatever roles and permissions a user has.',
      );
      throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
    }
    return this.line(request, `${name}=${value}`, endsAt === undefined ? undefined : secondsUntil(endsAt));
  }

  /** The value of a `Set-Cookie` header that deletes a cookie. */
  clear(request: CookieRequest, kind: CookieKind): string {
    return this.line(request, `${this.nameOf(request, kind)}=`, 0);
  }

  private line(request: CookieRequest, pair: string, maxAge: number | undefined): string {
    const { sameSite } = this.settings;
    return [
      pair,
      'Path=/',
      ...(this.isInsecure(request) ? [] : ['Secure']),
      'HttpOnly',
      sameSite === 'strict' ? 'SameSite=Strict' : 'SameSite=Lax',
      ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ].join('; ');
  }

  private nameOf(request: CookieRequest, kind: CookieKind): string {
    const prefix = this.isInsecure(request) ? '' : '__Host-';
    return prefix + this.settings.name + SUFFIXES[kind];
  }

  private isInsecure({ host = '', protocol }: CookieRequest): boolean {
    return this.settings.insecureLocalhost && protocol !== 'https' && LOCALHOST.test(host);
  }
}

function secondsUntil(endsAt: number): number {
  return Math.min(Math.max(Math.ceil(endsAt - Date.now() / 1000), 1), MAX_AGE_SECONDS);
}
