import { readFileSync } from 'node:fs';
import { Controller, Get, Header, NotFoundException, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from 'kit-auth';

/** Allows scripts and styles of this application only. No page may be framed, here or elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const PAGE = file('../../page/index.html');
const STYLES: Readonly<Record<string, string>> = {
  '/page.css': file('../../page/page.css'),
  '/forms.css': file('../../page/forms.css'),
  '/account.css': file('../../page/account.css'),
  '/this-login.css': file('../../page/this-login.css'),
};
const SCRIPTS: Readonly<Record<string, string>> = {
  '/page.js': file('../../page/page.js'),
  '/answers.js': file('../../page/answers.js'),
  '/factors.js': file('../../page/factors.js'),
  '/fresh.js': file('../../page/fresh.js'),
  '/keys.js': file('../../page/keys.js'),
  '/live.js': file('../../page/live.js'),
  '/login-links.js': file('../../page/login-links.js'),
  '/mails.js': file('../../page/mails.js'),
  '/passkeys.js': file('../../page/passkeys.js'),
  '/providers.js': file('../../page/providers.js'),
  '/shared.js': file('../../page/shared.js'),
  '/this-login.js': file('../../page/this-login.js'),
  '/try.js': file('../../page/try.js'),
  '/client.js': file(import.meta.resolve('kit-auth-browser/client')),
  '/oidc-client.js': file(import.meta.resolve('kit-auth-oidc/client')),
  '/passkeys-client.js': file(import.meta.resolve('kit-auth-passkeys/client')),
  '/qr.js': file(import.meta.resolve('qr')),
};

/** The web page: it logs in with cookies, and uses the client of kit-auth-browser as it is published. */
@ApiExcludeController()
@Public()
@Controller()
export class PageController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', POLICY)
  @Header('Referrer-Policy', 'no-referrer')
  @Header('Cache-Control', 'no-cache')
  getPage(): string {
    return PAGE;
  }

  @Get(Object.keys(STYLES))
  @Header('Content-Type', 'text/css; charset=utf-8')
  getStyle(@Req() { url }: { url: string }): string {
    return found(STYLES, url);
  }

  @Get(Object.keys(SCRIPTS))
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  getScript(@Req() { url }: { url: string }): string {
    return found(SCRIPTS, url);
  }
}

function found(files: Readonly<Record<string, string>>, url: string): string {
  const text = files[new URL(url, 'http://localhost').pathname];
  if (text === undefined) {
    throw new NotFoundException(); // Express takes other cases and a slash at the end for the same path
  }
  return text;
}

function file(url: string): string {
  return readFileSync(new URL(url, import.meta.url), 'utf8');
}
