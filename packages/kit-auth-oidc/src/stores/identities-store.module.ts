import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CommandHooks } from 'kit-auth/extend';
import { kitAuthEntities } from './identity.migrations.js';
import { IdentityStore } from './identity.store.js';
import { ProviderLogins } from './provider-logins.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature(kitAuthEntities);

@CommandHooks()
@Module({ providers: [IdentityStore, ProviderLogins], exports: [IdentityStore, ProviderLogins] })
export class IdentitiesStoreModule {}
