import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { AUTH_BUS } from 'kit-auth';
import { CommandHooks } from 'kit-auth/extend';
import { type KitAuthRedisBusOptions, redisBusOptions } from './redis-bus.options.js';
import { RedisBus } from './redis.bus.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthRedisBusOptions>().setClassMethodName('forRoot').build();

/**
 * Connects the instances of an application through Redis, so that a login that ends on one of them closes its sockets on
 * all. The application also starts and works without Redis. Then sockets are closed later, when they are checked again.
 *
 * Import it once, with `forRoot()` or `forRootAsync()`, or the class itself if the options are in the environment.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthSocketsModule,
 *     KitAuthRedisBusModule.forRoot({ url: process.env.REDIS_URL }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Module({
  providers: [
    redisBusOptions.provider(MODULE_OPTIONS_TOKEN),
    RedisBus,
    { provide: AUTH_BUS, useExisting: RedisBus },
  ],
})
export class KitAuthRedisBusModule extends ConfigurableModuleClass {
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthRedisBusOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
