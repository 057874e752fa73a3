import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CommandHooks } from 'kit-auth/extend';
import { AuthApiKey } from './auth-api-key.entity.js';
import { KeyStore } from './key.store.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthApiKey]);

@CommandHooks()
@Module({ providers: [KeyStore], exports: [KeyStore] })
export class KeysStoreModule {}
