import type { Server } from 'node:http';
import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Module,
  type NestModule,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AuthErrorCode, TOKEN_TRANSPORT, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { CommandHooks, declareReasons } from 'kit-auth/extend';
import { BrowserTransport, UpgradeGuard } from './browser.transport.js';
import { browserOptions, type KitAuthBrowserOptions } from './config/browser.options.js';
import { BrowserCookies } from './cookies.js';
import { CrossOrigin } from './cross-origin.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthBrowserOptions>().setClassMethodName('forRoot').build();

/**
 * Cookies for browsers, and protection against requests of other sites. Import it next to `KitAuthModule` and an
 * implementation: the class itself, or `forRoot()` or `forRootAsync()` to pass options.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthBrowserModule.forRoot({ origins: ['https://app.example'] }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Global()
@Module({
  providers: [
    browserOptions.provider(MODULE_OPTIONS_TOKEN),
    BrowserCookies,
    CrossOrigin,
    BrowserTransport,
    { provide: TOKEN_TRANSPORT, useExisting: BrowserTransport },
    UpgradeGuard,
    declareReasons({
      [AuthErrorCode.TOKEN_INVALID]: ['malformed'],
      [AuthErrorCode.CROSS_ORIGIN]: ['cross-site', 'same-site', 'origin', 'unknown'],
    }),
  ],
  exports: [BrowserTransport, TOKEN_TRANSPORT],
})
export class KitAuthBrowserModule extends ConfigurableModuleClass implements NestModule {
  constructor(
    private readonly upgrades: UpgradeGuard,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthBrowserOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** Nest calls this when its HTTP server exists, before it listens. */
  configure(): void {
    if (this.settings.enabled) {
      this.upgrades.watch(this.adapterHost.httpAdapter.getHttpServer() as Server);
    }
  }
}
