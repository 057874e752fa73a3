import { Module } from '@nestjs/common';
import { ModulesContainer, RouterModule } from '@nestjs/core';
import { authFeature } from 'kit-auth/feature';
import { ConsoleApplication } from './access/application.js';
import { consoleApi } from './access/console.api.js';
import { KitAuthConsoleController } from './access/console.controller.js';
import { UserReach } from './access/reach.js';
import {
  consoleOptions,
  type KitAuthConsoleOptions,
  type ResolvedConsoleOptions,
} from './config/console.options.js';
import { KitAuthConsolePageController } from './page/page.controller.js';
import { ConsolePage } from './page/page.js';
import { ConsoleStart } from './start.js';

/** Apart from the endpoints, because Nest gives all controllers of a module the same path. */
@Module({ controllers: [KitAuthConsolePageController] })
class ConsolePageModule {}

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
export class KitAuthConsoleModule extends authFeature<KitAuthConsoleOptions>('kit-auth-console', {
  options: consoleOptions,
  endpoints: consoleApi,
  imports: [ConsolePageModule],
  controllers: [KitAuthConsoleController],
  providers: [
    {
      provide: RouterModule,
      useFactory: (modules: ModulesContainer, { settings: { path } }: ResolvedConsoleOptions) =>
        new RouterModule(modules, [{ path, module: ConsolePageModule }]),
      inject: [ModulesContainer, consoleOptions.token],
    },
    ConsoleApplication,
    UserReach,
    ConsolePage,
    ConsoleStart,
  ],
  exports: [ConsolePage],
  isGlobal: true, // for the controller of the page
}) {}
