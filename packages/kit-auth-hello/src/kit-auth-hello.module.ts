import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { AUTH_OPERATIONS, type AuthOperations, objectOf, TEXT } from 'kit-auth/extend';
import { KitAuthHelloController } from './hello.controller.js';
import { helloOptions, type KitAuthHelloOptions } from './hello.options.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthHelloOptions>()
  .setClassMethodName('forRoot')
  .build();

/** The endpoints of this package, for OpenAPI documents. */
const helloOperations: AuthOperations = () => ({
  operations: {
    'GET hello': {
      operationId: 'kitAuthHello',
      summary: 'Greets the current user',
      answer: objectOf({ text: TEXT }),
    },
  },
});

/**
 * Greets users. Copy this package to begin one of your own.
 *
 * @example
 * ```ts
 * @Module({ imports: [KitAuthModule.forRoot(), KitAuthJwtModule, KitAuthHelloModule.forRoot({ greeting: 'Hi' })] })
 * export class AppModule {}
 * ```
 */
@Module({
  controllers: [KitAuthHelloController],
  providers: [
    helloOptions.provider(MODULE_OPTIONS_TOKEN),
    { provide: AUTH_OPERATIONS, useValue: helloOperations },
  ],
})
export class KitAuthHelloModule extends ConfigurableModuleClass {
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthHelloOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
