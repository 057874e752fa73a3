import { Get, NotFoundException, Req, Res } from '@nestjs/common';
import { OwnPageController } from 'kit-auth/feature';
import { FOREVER, type PlatformAnswer, secure } from './headers.js';
import { ASSETS, ConsolePage } from './page.js';

/** A request of Express or Fastify. */
interface PlatformRequest {
  readonly url: string;
}

/** `@Res()` without `passthrough`: an interceptor of the application that wraps answers must not wrap these. */
@OwnPageController()
export class KitAuthConsolePageController {
  constructor(private readonly content: ConsolePage) {}

  @Get()
  page(@Req() { url }: PlatformRequest, @Res() answer: PlatformAnswer): void {
    secure(answer);
    answer.header('Content-Type', 'text/html; charset=utf-8');
    answer.send(this.content.html(url));
  }

  @Get(`${ASSETS}/:hash/:file`)
  file(@Req() { url }: PlatformRequest, @Res() answer: PlatformAnswer): void {
    secure(answer);
    const file = this.content.file(url);
    if (file === undefined) {
      throw new NotFoundException();
    }
    answer.header('Cache-Control', FOREVER);
    answer.header('Content-Type', file.type);
    answer.send(file.content);
  }
}
