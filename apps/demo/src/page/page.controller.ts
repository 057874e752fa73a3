import { readFileSync } from 'node:fs';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from 'kit-auth';

/** Scripts and styles of this application alone, and no frames: neither others' pages here nor this page in others'. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The web page: it logs in with cookies, and uses the client of kit-auth-browser as it is published. */
@ApiExcludeController()
@Public()
@Controller()
export class PageController {
  private readonly page = file('../../page/index.html');
  private readonly style = file('../../page/page.css');
  private readonly script = file('../../page/page.js');
  private readonly mails = file('../../page/mails.js');
  private readonly shared = file('../../page/shared.js');
  private readonly client = file(import.meta.resolve('kit-auth-browser/client'));

  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', POLICY)
  @Header('Referrer-Policy', 'no-referrer')
  @Header('Cache-Control', 'no-cache')
  getPage(): string {
    return this.page;
  }

  @Get('page.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  getStyle(): string {
    return this.style;
  }

  @Get('page.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  getScript(): string {
    return this.script;
  }

  @Get('mails.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  getMails(): string {
    return this.mails;
  }

  @Get('shared.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  getShared(): string {
    return this.shared;
  }

  @Get('client.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  getClient(): string {
    return this.client;
  }
}

function file(url: string): string {
  return readFileSync(new URL(url, import.meta.url), 'utf8');
}
