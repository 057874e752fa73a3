import { Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { ActiveUserStore } from '../users/active.user-store.js';
import { AccountChanges } from '../users/typeorm/account-changes.js';
import { AuthOneTime } from './auth-one-time.entity.js';
import { OneTimeTokens } from './one-time.tokens.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthOneTime]);

/**
 * One-time tokens, in the table `auth_one_time` of the application's data source. Packages that need them import it.
 *
 * @example
 * ```ts
 * @Module({ imports: [OneTimeModule], controllers: [DownloadController] })
 * export class DownloadModule {}
 * ```
 */
@Module({
  providers: [
    {
      provide: OneTimeTokens,
      useFactory: (
        users: ActiveUserStore,
        settings: KitAuthSettings,
        dataSource?: DataSource,
        changes?: AccountChanges,
      ) => new OneTimeTokens(users, settings, dataSource, changes),
      inject: [
        ActiveUserStore,
        KIT_AUTH_SETTINGS,
        { token: getDataSourceToken(), optional: true },
        { token: AccountChanges, optional: true },
      ],
    },
  ],
  exports: [OneTimeTokens],
})
export class OneTimeModule {}
