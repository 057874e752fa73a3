import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AuthException, ErrorTexts, type TransportExchange, type TransportRequest } from 'kit-auth';
import { describeError, unavailable } from 'kit-auth/extend';

const HTML = 'text/html; charset=utf-8';
/** For the small pages: they load nothing and run nothing. */
const POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const HTTP_FOUND = 302;
const HTTP_OK = 200;

/** Answers requests of browsers that follow a link or a redirect. */
@Injectable()
export class Navigation {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly texts: ErrorTexts,
  ) {}

  redirect(response: unknown, exchange: TransportExchange, url: string): void {
    protect(exchange);
    exchange.setHeader('Location', url);
    this.reply(response, '', HTTP_FOUND);
  }

  /**
   * Answers with a page that goes on to a URL. Unlike a redirect, that counts as a request of this site, so it has the cookies
   * with `SameSite=Strict`.
   */
  goOn(response: unknown, exchange: TransportExchange, url: string): void {
    const target = escaped(url);
    this.show(
      response,
      exchange,
      HTTP_OK,
      `<meta http-equiv="refresh" content="0; url=${target}"><title>Login</title><p><a href="${target}">Continue</a></p>`,
    );
  }

  /** Answers with an error, where there is no page of the application to go to. */
  refuse(response: unknown, exchange: TransportExchange, error: AuthException): void {
    Object.entries(error.headers).forEach(([name, value]) => {
      exchange.setHeader(name, value);
    });
    const body = this.texts.of(error);
    if (prefersHtml(exchange.request)) {
      const { message, text = message, language, code } = body;
      const shown = escaped(text);
      const content = `<title>${shown}</title><p>${shown} (${code})</p>`;
      this.show(response, exchange, error.getStatus(), content, language);
      return;
    }
    protect(exchange);
    this.reply(response, body, error.getStatus());
  }

  /** The refusal that an error stands for. Other errors than those of kit-auth are logged. */
  refusalOf(error: unknown): AuthException {
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

/**
 * Whether a request may begin an attempt, or use one up. A browser that loads a page before its user wants it, an image of
 * another page, a frame, and whoever only asks for headers, get nothing.
 */
export function isNavigation({ method, headers }: TransportRequest): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': dest = 'document' } = headers;
  const { 'sec-purpose': early = headers['purpose'] } = headers;
  return method === 'GET' && mode === 'navigate' && dest === 'document' && early === undefined;
}

/** The URL has a code, and the answer may have another one. */
function protect(exchange: TransportExchange): void {
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.setHeader('Referrer-Policy', 'no-referrer');
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Whether a client shows pages, as a browser does. */
export function prefersHtml({ headers }: TransportRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
