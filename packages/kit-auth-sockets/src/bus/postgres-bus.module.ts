import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { AUTH_BUS } from 'kit-auth';
import { CommandHooks } from 'kit-auth/extend';
import { type KitAuthPostgresBusOptions, postgresBusOptions } from './postgres-bus.options.js';
import { PostgresBus } from './postgres.bus.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthPostgresBusOptions>().setClassMethodName('forRoot').build();

/**
 * Connects the instances of an application through PostgreSQL, so that a login that ends on one of them closes its sockets on
 * all. The application also starts and works without the database. Then sockets are closed later, when they are checked again.
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
 *     KitAuthPostgresBusModule.forRoot({ url: process.env.DATABASE_URL }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Module({
  providers: [
    postgresBusOptions.provider(MODULE_OPTIONS_TOKEN),
    PostgresBus,
    { provide: AUTH_BUS, useExisting: PostgresBus },
  ],
})
export class KitAuthPostgresBusModule extends ConfigurableModuleClass {
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthPostgresBusOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
