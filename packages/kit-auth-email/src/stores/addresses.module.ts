import { Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { AccountChanges } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';
import { AuthUserEmail } from './auth-user-email.entity.js';
import { UserAddresses } from './user-addresses.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthUserEmail]);

@Module({
  providers: [
    {
      provide: UserAddresses,
      useFactory: (
        users: ActiveUserStore,
        settings: KitAuthSettings,
        dataSource?: DataSource,
        changes?: AccountChanges,
      ) => new UserAddresses(users, settings, dataSource, changes),
      inject: [
        ActiveUserStore,
        KIT_AUTH_SETTINGS,
        { token: getDataSourceToken(), optional: true },
        { token: AccountChanges, optional: true },
      ],
    },
  ],
  exports: [UserAddresses],
})
export class AddressesModule {}
