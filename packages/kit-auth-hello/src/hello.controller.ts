import { Get, Inject } from '@nestjs/common';
import { CurrentUser, type LoginUser } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import { helloOptions, type ResolvedHelloOptions } from './hello.options.js';

/** `GET /v1/api/auth/hello` */
@KitAuthController('hello')
export class KitAuthHelloController {
  constructor(@Inject(helloOptions.token) private readonly options: ResolvedHelloOptions) {}

  @Get()
  greet(@CurrentUser() { nickname }: LoginUser): { text: string } {
    return { text: `${this.options.settings.greeting}, ${nickname}` };
  }
}
