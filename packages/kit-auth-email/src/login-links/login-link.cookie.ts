import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { TransportExchange, TransportRequest } from 'kit-auth';
import { cookiesIn } from 'kit-auth/extend';
import { emailOptions, type ResolvedEmailOptions } from '../config/email.options.js';

const NAME = 'kit-auth-login-link';
const SECRET = /^[\w-]{43}$/;

/**
 * The cookie of the browser that has asked for a login link. The link works in this browser alone, so that a forwarded
 * link logs in nobody, and nobody can log somebody else in to their own account.
 *
 * Without `__Host-` and `Secure` if the login page is on `http://localhost`, which is never so in production.
 */
@Injectable()
export class LoginLinkCookie {
  private readonly name: string;
  private readonly attributes: readonly string[];
  private readonly maxAge: number;

  constructor(@Inject(emailOptions.token) { settings: { links, loginLinks } }: ResolvedEmailOptions) {
    const isSecure = links.login?.startsWith('http:') !== true;
    this.name = isSecure ? `__Host-${NAME}` : NAME;
    this.attributes = ['Path=/', ...(isSecure ? ['Secure'] : []), 'HttpOnly', 'SameSite=Strict'];
    this.maxAge = loginLinks === false ? 0 : loginLinks.minutes * 60;
  }

  /** The secret that binds a link to the browser of a request. A browser that asks again keeps its secret. */
  secretFor(request: TransportRequest): string {
    return this.read(request) ?? randomBytes(32).toString('base64url');
  }

  write(exchange: TransportExchange, secret: string): void {
    exchange.appendHeader('Set-Cookie', this.line(secret, this.maxAge));
  }

  /** Deletes the cookie, if the browser has it. */
  clear(exchange: TransportExchange): void {
    if (this.read(exchange.request) !== undefined) {
      exchange.appendHeader('Set-Cookie', this.line('', 0));
    }
  }

  /** Whether a request comes from the browser with the secret of this hash. */
  isOf(request: TransportRequest, secretHash: string): boolean {
    const secret = this.read(request);
    return secret !== undefined && timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(secretHash));
  }

  /** Undefined also for several: an attacker may have planted any of them. */
  private read({ headers }: TransportRequest): string | undefined {
    const [secret = '', ...others] = cookiesIn([headers.cookie ?? ''], this.name);
    return others.length === 0 && SECRET.test(secret) ? secret : undefined;
  }

  private line(value: string, maxAge: number): string {
    return [`${this.name}=${value}`, ...this.attributes, `Max-Age=${maxAge}`].join('; ');
  }
}

/** A fast hash is enough for 256 random bits. */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
