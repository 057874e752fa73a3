import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Global,
  Inject,
  Module,
  type NestModule,
  type OnApplicationBootstrap,
  type Type,
} from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer, RouterModule } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { AUTH_OPERATIONS, Ports } from 'kit-auth/extend';
import { ConsoleApplication } from './access/application.js';
import { KitAuthConsoleController } from './access/console.controller.js';
import { UserReach } from './access/reach.js';
import {
  consoleOptions,
  type KitAuthConsoleOptions,
  type ResolvedConsoleOptions,
} from './config/console.options.js';
import { consoleOperations } from './operations.js';
import { KitAuthConsoleExpressController, KitAuthConsoleFastifyController } from './page/page.controllers.js';
import { ConsolePages } from './page/pages.js';
import { ConsoleStart } from './start.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthConsoleOptions>().setClassMethodName('forRoot').build();

/** Express and Fastify spell wildcards differently, and each refuses those of the other. */
const OF_OTHER_PLATFORM: Readonly<Record<string, Type>> = {
  express: KitAuthConsoleFastifyController,
  fastify: KitAuthConsoleExpressController,
};

/** Apart from the endpoint, because Nest gives all controllers of a module the same path. */
@Module({ controllers: [KitAuthConsoleExpressController, KitAuthConsoleFastifyController] })
class ConsolePagesModule {}

/**
 * An administration page, which the application itself serves at `/auth-console`: users, roles, sessions, keys, factors,
 * passkeys, identities, invitations and the audit log, as far as the application has their endpoints. Import it once, next
 * to `KitAuthBrowserModule` and a module with administrative endpoints.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthBrowserModule,
 *     KitAuthAdminModule,
 *     KitAuthConsoleModule.forRoot({ title: 'Shop administration' }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@Global() // for the controllers of the page
@Module({
  imports: [ConsolePagesModule],
  controllers: [KitAuthConsoleController],
  providers: [
    consoleOptions.provider(MODULE_OPTIONS_TOKEN),
    {
      provide: RouterModule,
      useFactory: (modules: ModulesContainer, { settings: { path } }: ResolvedConsoleOptions) =>
        new RouterModule(modules, [{ path, module: ConsolePagesModule }]),
      inject: [ModulesContainer, consoleOptions.token],
    },
    ConsoleApplication,
    UserReach,
    ConsolePages,
    ConsoleStart,
    { provide: AUTH_OPERATIONS, useValue: consoleOperations },
  ],
  exports: [ConsolePages],
})
export class KitAuthConsoleModule
  extends ConfigurableModuleClass
  implements NestModule, OnApplicationBootstrap
{
  constructor(
    private readonly start: ConsoleStart,
    private readonly ports: Ports,
    private readonly modules: ModulesContainer,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    super();
    this.keepRoutesOfPlatform(); // before reports and OpenAPI documents read the controllers
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthConsoleOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** Just before there are routes. An application of a testing module has no platform before. */
  configure(): void {
    this.keepRoutesOfPlatform();
  }

  /**
   * All instances exist, and the application has set its prefix. An application without a server has no page.
   *
   * @throws IllegalStateException for an application that cannot have the page, see `ConsoleStart`
   */
  onApplicationBootstrap(): void {
    const { httpAdapter } = this.adapterHost as { httpAdapter?: object | null };
    if (this.core.enabled && httpAdapter) {
      this.ports.requireOneImport(KitAuthConsoleModule);
      this.start.run();
    }
  }

  private keepRoutesOfPlatform(): void {
    const { httpAdapter } = this.adapterHost as { httpAdapter?: HttpAdapterHost['httpAdapter'] | null };
    const other = OF_OTHER_PLATFORM[httpAdapter?.getType() ?? ''];
    if (other !== undefined) {
      for (const { controllers } of this.modules.values()) {
        controllers.delete(other);
      }
    }
  }
}
