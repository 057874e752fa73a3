import type { DynamicModule } from '@nestjs/common';
import { readEnvironment } from './environment.js';
import type { KitAuthOptions } from './kit-auth.options.js';

const NAME = 'kit.auth';
const KEY = `CONFIGURATION(${NAME})`;

/** The type of {@link kitAuthConfig}. */
export interface KitAuthConfig {
  (): KitAuthOptions;
  /** Injection token under which `ConfigModule` of `@nestjs/config` provides the options. */
  readonly KEY: string;
  /** Arguments for `KitAuthModule.forRootAsync()`. */
  asProvider(): {
    imports: DynamicModule[];
    inject: string[];
    useFactory: (options: KitAuthOptions) => KitAuthOptions;
  };
}

class KitAuthConfigModule {}

/**
 * The options from environment variables. `KIT_AUTH_JWT_EXPIRE_MINUTES` is `jwt.expireMinutes`, and so on. Lists are
 * separated by commas. Start-up warns about unknown variables that begin with `KIT_AUTH_`.
 *
 * It works on its own, and as a namespace of `@nestjs/config`, as if `registerAs('kit.auth', ...)` had made it.
 *
 * @example
 * KitAuthModule.forRootAsync(kitAuthConfig.asProvider())
 *
 * @example
 * ConfigModule.forRoot({ load: [kitAuthConfig] }) // then configService.get('kit.auth')
 */
export const kitAuthConfig: KitAuthConfig = Object.assign((): KitAuthOptions => readEnvironment(), {
  KEY,
  PARTIAL_CONFIGURATION_KEY: NAME, // where ConfigModule looks for the name
  asProvider: () => ({
    imports: [
      {
        module: KitAuthConfigModule,
        providers: [{ provide: KEY, useFactory: kitAuthConfig }],
        exports: [KEY],
      },
    ],
    inject: [KEY],
    useFactory: (options: KitAuthOptions) => options,
  }),
});
