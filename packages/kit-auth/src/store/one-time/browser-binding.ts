import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TransportExchange, TransportRequest } from '../../contract/token-transport.js';
import { cookiesIn } from '../../endpoints/cookies.js';

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** A cookie that binds a one-time token to one browser. */
interface BindingCookie {
  /** Without `__Host-`, which is added. Tokens with the same name share the secret. */
  readonly name: string;
  readonly seconds: number;
  /** False for pages without TLS, in development. The cookie has neither `__Host-` nor `Secure` then. */
  readonly isSecure: boolean;
}

/**
 * Gives the browser a secret, so that a token that others see, for example in a link, is of no use in another browser. A
 * browser that has the cookie keeps its secret. The cookie is sent with requests of the own site, and with links from other
 * sites (`SameSite=Lax`).
 *
 * @returns the hash of the secret, for `NewOneTimeToken.data`
 * @example
 * const browser = bindToBrowser(this.exchanges.exchange(request, response), cookie);
 * await this.tokens.issue({ purpose: 'download', data: { browser }, ttlSeconds: cookie.seconds });
 */
export function bindToBrowser(exchange: TransportExchange, cookie: BindingCookie): string {
  const secret = secretIn(exchange.request, cookie) ?? randomBytes(SECRET_BYTES).toString('base64url');
  exchange.appendHeader('Set-Cookie', lineOf(cookie, secret, cookie.seconds));
  return hashOf(secret);
}

/** Whether a request comes from the browser that got the secret with this hash. */
export function isBoundTo(
  request: Pick<TransportRequest, 'headers'>,
  cookie: Pick<BindingCookie, 'name' | 'isSecure'>,
  binding: string,
): boolean {
  const secret = secretIn(request, cookie);
  return secret !== undefined && isHashOf(secret, binding);
}

/** Whether a hash belongs to a secret: SHA-256 in base64url, like a PKCE challenge. Takes constant time. */
export function isHashOf(secret: string, expected: string): boolean {
  const [found, wanted] = [Buffer.from(hashOf(secret)), Buffer.from(expected)];
  return found.length === wanted.length && timingSafeEqual(found, wanted);
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

/** Deletes the cookie, if the browser has it. */
export function unbindBrowser(
  exchange: TransportExchange,
  cookie: Pick<BindingCookie, 'name' | 'isSecure'>,
): void {
  if (cookiesIn([exchange.request.headers.cookie ?? ''], nameOf(cookie)).length > 0) {
    exchange.appendHeader('Set-Cookie', lineOf(cookie, '', 0));
  }
}

/** Undefined also for several: an attacker may have planted any of them. */
function secretIn(
  { headers }: Pick<TransportRequest, 'headers'>,
  cookie: Pick<BindingCookie, 'name' | 'isSecure'>,
): string | undefined {
  const [secret = '', ...others] = cookiesIn([headers.cookie ?? ''], nameOf(cookie));
  return others.length === 0 && SECRET.test(secret) ? secret : undefined;
}

function hashOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

function nameOf({ name, isSecure }: Pick<BindingCookie, 'name' | 'isSecure'>): string {
  return isSecure ? `__Host-${name}` : name;
}

function lineOf(cookie: Pick<BindingCookie, 'name' | 'isSecure'>, value: string, seconds: number): string {
  const secure = cookie.isSecure ? '; Secure' : '';
  return `${nameOf(cookie)}=${value}; Path=/${secure}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
}
