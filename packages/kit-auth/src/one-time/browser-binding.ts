import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TransportExchange, TransportRequest } from '../contract/token-transport.js';
import { cookiesIn } from '../endpoints/cookies.js';

const SECRET_BYTES = 32;

/** A cookie that binds a one-time token to one browser. */
interface BindingCookie {
  /** Without `__Host-`, which is added. Unique for each token that can be live in the browser. */
  readonly name: string;
  readonly seconds: number;
  /** False for pages without TLS, in development. The cookie has neither `__Host-` nor `Secure` then. */
  readonly isSecure: boolean;
}

/**
 * Gives the browser a secret, so that a token that others see, for example in a link, is of no use in another browser. The
 * cookie is sent with requests of the own site, and with links from other sites (`SameSite=Lax`).
 *
 * @returns the hash of the secret, for `NewOneTimeToken.data`
 * @example
 * const browser = bindToBrowser(this.exchanges.exchange(request, response), cookie);
 * await this.tokens.issue({ purpose: 'download', data: { browser }, ttlSeconds: cookie.seconds });
 */
export function bindToBrowser(exchange: TransportExchange, cookie: BindingCookie): string {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  exchange.appendHeader('Set-Cookie', lineOf(cookie, secret, cookie.seconds));
  return hash('sha256', secret, 'base64url');
}

/** Whether a request comes from the browser that got the secret with this hash. */
export function isBoundTo(
  { headers }: Pick<TransportRequest, 'headers'>,
  cookie: Pick<BindingCookie, 'name' | 'isSecure'>,
  binding: string,
): boolean {
  // All of them: a subdomain may have planted another one, which must not lock the user out.
  return cookiesIn([headers.cookie ?? ''], nameOf(cookie)).some((secret) => {
    const found = Buffer.from(hash('sha256', secret, 'base64url'));
    const expected = Buffer.from(binding);
    return found.length === expected.length && timingSafeEqual(found, expected);
  });
}

/** The names of the cookies in a request that begin like this, without `__Host-`, oldest first. */
export function bindingsIn(
  { headers }: Pick<TransportRequest, 'headers'>,
  { name, isSecure }: Pick<BindingCookie, 'name' | 'isSecure'>,
): string[] {
  const prefix = nameOf({ name, isSecure });
  const names = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.replace(/^[ \t]+/, '').split('=', 1)[0] as string);
  return [...new Set(names.filter((found) => found.startsWith(prefix)))].map(
    (found) => name + found.slice(prefix.length),
  );
}

/** Deletes the cookie. */
export function unbindBrowser(
  exchange: TransportExchange,
  cookie: Pick<BindingCookie, 'name' | 'isSecure'>,
): void {
  exchange.appendHeader('Set-Cookie', lineOf(cookie, '', 0));
}

function nameOf({ name, isSecure }: Pick<BindingCookie, 'name' | 'isSecure'>): string {
  return isSecure ? `__Host-${name}` : name;
}

function lineOf(cookie: Pick<BindingCookie, 'name' | 'isSecure'>, value: string, seconds: number): string {
  const secure = cookie.isSecure ? '; Secure' : '';
  return `${nameOf(cookie)}=${value}; Path=/${secure}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
}
