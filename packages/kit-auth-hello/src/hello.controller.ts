import { Inject } from '@nestjs/common';
import { KitAuthContext } from 'kit-auth';
import { Endpoint, KitAuthController } from 'kit-auth/feature';
import { helloApi } from './hello.api.js';
import { helloOptions, type ResolvedHelloOptions } from './hello.options.js';

@KitAuthController()
export class KitAuthHelloController {
  constructor(
    @Inject(helloOptions.token) private readonly options: ResolvedHelloOptions,
    private readonly context: KitAuthContext,
  ) {}

  @Endpoint(helloApi, 'GET hello')
  greet(): { text: string } {
    return { text: `${this.options.settings.greeting}, ${this.context.getOrThrow().nickname}` };
  }
}
