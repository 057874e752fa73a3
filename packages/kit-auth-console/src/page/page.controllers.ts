import { Get, Req, Res } from '@nestjs/common';
import { OwnPageController } from 'kit-auth/extend';
import type { PlatformAnswer } from './headers.js';
import { ConsolePages, type PlatformRequest } from './pages.js';

/** `@Res()` without `passthrough`: an interceptor of the application that wraps answers must not wrap these. */
@OwnPageController()
export class KitAuthConsoleExpressController {
  constructor(private readonly pages: ConsolePages) {}

  @Get(['', '{*path}'])
  page(@Req() request: PlatformRequest, @Res() answer: PlatformAnswer): void {
    this.pages.answer(request, answer);
  }
}

/** The same, because Express and Fastify spell wildcards differently. */
@OwnPageController()
export class KitAuthConsoleFastifyController {
  constructor(private readonly pages: ConsolePages) {}

  @Get(['', '*'])
  page(@Req() request: PlatformRequest, @Res() answer: PlatformAnswer): void {
    this.pages.answer(request, answer);
  }
}
