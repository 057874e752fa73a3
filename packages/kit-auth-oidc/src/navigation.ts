import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AuthException, ErrorTexts, type TransportExchange, type TransportRequest } from 'kit-auth';
import { describeError } from 'kit-auth/tools';
import { escapeHtml, unavailable } from 'kit-auth/feature';
import { externalLoginFailed } from './refusals.js';
import { type Destination, Destinations } from './start/destinations.js';

const HTML = 'text/html; charset=utf-8';
/** For our small pages: they load nothing and run nothing. */
const POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const HTTP_FOUND = 302;
const HTTP_OK = 200;
/** Members of a refusal that pages need, besides its code and reason. */
const DETAILS = ['challenge', 'factors', 'expiresAt'] as const;

/** The parameters in the fragment of a `returnTo` URL. */
export type Fragment = Readonly<Record<string, string>>;

/** Answers browsers that follow a link or a redirect. */
@Injectable()
export class Navigation {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly texts: ErrorTexts,
    private readonly destinations: Destinations,
  ) {}

  redirect(response: unknown, exchange: TransportExchange, url: string): void {
    protect(exchange);
    exchange.setHeader('Location', url);
    this.reply(response, '', HTTP_FOUND);
  }

  /**
   * Answers with a page that opens a URL at once. Unlike after a redirect, the next request comes from this site, so it has the
   * cookies with `SameSite=Strict`.
   */
  forward(response: unknown, exchange: TransportExchange, url: string): void {
    const target = escapeHtml(url);
    this.show(
      response,
      exchange,
      HTTP_OK,
      `<meta http-equiv="refresh" content="0; url=${target}"><title>Login</title><p><a href="${target}">Continue</a></p>`,
    );
  }

  /** Sends the browser to the page or the app where the attempt ends. */
  finish(
    response: unknown,
    exchange: TransportExchange,
    { returnTo, challenge }: Destination,
    fragment: Fragment,
  ): void {
    const url = `${returnTo}#${new URLSearchParams(fragment).toString()}`;
    if (challenge === undefined && this.destinations.areStrict) {
      this.forward(response, exchange, url);
    } else {
      this.redirect(response, exchange, url);
    }
  }

  /** Answers with an error, if there is no page of the application to open. */
  refuse(response: unknown, exchange: TransportExchange, cause: unknown): void {
    const error = this.refusalOf(cause);
    Object.entries(error.headers).forEach(([name, value]) => {
      exchange.setHeader(name, value);
    });
    const body = this.texts.of(error);
    if (prefersHtml(exchange.request)) {
      const { message, text = message, language, code } = body;
      const shown = escapeHtml(text);
      const content = `<title>${shown}</title><p>${shown} (${code})</p>`;
      this.show(response, exchange, error.getStatus(), content, language);
      return;
    }
    protect(exchange);
    this.reply(response, body, error.getStatus());
  }

  /** Describes an error to the page or the app where the attempt ends. Logs errors that are not ours. */
  fragmentOf(cause: unknown, provider: string): Fragment {
    const error = this.refusalOf(cause);
    const body = error.getResponse() as Partial<Record<string, unknown>>;
    const details = DETAILS.flatMap((name): [string, string][] => {
      const value = body[name] as string | number | readonly string[] | undefined;
      return value === undefined ? [] : [[name, String(value)]];
    });
    return {
      'kit-auth': String(error.code),
      ...(error.reason !== undefined && { reason: error.reason }),
      provider,
      ...Object.fromEntries(details),
    };
  }

  private refusalOf(error: unknown): AuthException {
    if (error instanceof AuthException) {
      return error;
    }
    this.logger.error(`[oidc] a login failed: ${describeError(error)}`);
    return unavailable(error);
  }

  private show(
    response: unknown,
    exchange: TransportExchange,
    status: number,
    content: string,
    language = 'en',
  ): void {
    protect(exchange);
    exchange.setHeader('Content-Type', HTML);
    exchange.setHeader('Content-Security-Policy', POLICY);
    this.reply(
      response,
      `<!doctype html><html lang="${language}"><meta charset="utf-8">${content}</html>`,
      status,
    );
  }

  private reply(response: unknown, body: unknown, status: number): void {
    this.adapterHost.httpAdapter.reply(response, body, status);
  }
}

/** Whether this is a top-level navigation. Prefetches, images, frames and HEAD must neither begin an attempt nor end one. */
export function isNavigation({ method, headers }: TransportRequest): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': dest = 'document' } = headers;
  const { 'sec-purpose': early = headers['purpose'] } = headers;
  return method === 'GET' && mode === 'navigate' && dest === 'document' && early === undefined;
}

/** @throws AuthException 40114 `state` */
export function requireNavigation({ request }: TransportExchange): void {
  if (!isNavigation(request)) {
    throw externalLoginFailed('state');
  }
}

/** Whether a client shows pages, like a browser. */
export function prefersHtml({ headers }: TransportRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** The URL contains a code, and the answer may contain another one. */
function protect(exchange: TransportExchange): void {
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.setHeader('Referrer-Policy', 'no-referrer');
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
}
