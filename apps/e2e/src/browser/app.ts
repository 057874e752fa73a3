import { Controller, Get, Header, Post } from '@nestjs/common';
import { CurrentUser, type LoginUser, Public } from 'kit-auth';
import { KitAuthBrowserModule, type KitAuthBrowserOptions, SameOrigin } from 'kit-auth-browser';
import { type Answer, TestApp, type TestAppOptions } from 'test-support';

@Controller('v1/notes')
class NotesController {
  @Get()
  list(@CurrentUser() { username }: LoginUser) {
    return { username };
  }

  @Get('shared')
  @Header('Cache-Control', 'public, max-age=60')
  shared() {
    return {};
  }

  @Get('export')
  @SameOrigin()
  export() {
    return {};
  }

  @Get('published')
  @Public()
  published() {
    return {};
  }

  @Post()
  create(@CurrentUser() { username }: LoginUser) {
    return { username };
  }
}

/** What a page of the application's own origin sends. */
export const OWN_PAGE = 'Sec-Fetch-Site: same-origin';

/** An application with cookies. */
export class BrowserApp extends TestApp {
  constructor(browser: KitAuthBrowserOptions = {}, options: TestAppOptions = {}) {
    super(options, { imports: [KitAuthBrowserModule.forRoot(browser)], controllers: [NotesController] });
  }

  /** The cookies of a login, as a browser sends them. */
  async cookieOf({ username }: { username: string }): Promise<string> {
    return sentBack(await this.login(username, undefined, OWN_PAGE));
  }

  /** The code of the answer to a POST with a cookie, and the reason of the refusal. */
  async post(cookie: string, ...headers: string[]): Promise<string> {
    const { status, json } = await this.request('/v1/notes', {
      method: 'POST',
      headers: [`Cookie: ${cookie}`, ...headers],
    });
    return status === 201 ? 'done' : [json.code, json.reason].filter(Boolean).join(' ');
  }
}

/** What a browser sends back of the cookies of kit-auth in an answer. */
export function sentBack({ cookies }: Answer): string {
  return cookies
    .filter((line) => line.includes('kit-auth') && !line.endsWith('Max-Age=0'))
    .map((line) => line.split(';')[0] as string)
    .join('; ');
}
