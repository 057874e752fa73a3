import { authFeature } from 'kit-auth/feature';
import { helloApi } from './hello.api.js';
import { KitAuthHelloController } from './hello.controller.js';
import { helloOptions, type KitAuthHelloOptions } from './hello.options.js';

/**
 * Greets users. Copy this package to begin one of your own.
 *
 * @example
 * ```ts
 * @Module({ imports: [KitAuthModule.forRoot(), KitAuthJwtModule, KitAuthHelloModule.forRoot({ greeting: 'Hi' })] })
 * export class AppModule {}
 * ```
 */
export class KitAuthHelloModule extends authFeature<KitAuthHelloOptions>('kit-auth-hello', {
  options: helloOptions,
  endpoints: helloApi,
  controllers: [KitAuthHelloController],
}) {}
