import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_ADDRESSES } from 'kit-auth';
import { CommandHooks } from 'kit-auth/extend';
import { AuthUserEmail } from './auth-user-email.entity.js';
import { KnownAddresses } from './known-addresses.js';
import { UserAddresses } from './user-addresses.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthUserEmail]);

@CommandHooks()
@Module({
  providers: [UserAddresses, KnownAddresses, { provide: AUTH_ADDRESSES, useExisting: KnownAddresses }],
  exports: [UserAddresses],
})
export class AddressesModule {}
