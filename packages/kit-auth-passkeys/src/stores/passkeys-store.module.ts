import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CommandHooks } from 'kit-auth/extend';
import { AuthPasskeyUser } from './auth-passkey-user.entity.js';
import { AuthPasskey } from './auth-passkey.entity.js';
import { PasskeyStore } from './passkey.store.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthPasskey, AuthPasskeyUser]);

@CommandHooks()
@Module({ providers: [PasskeyStore], exports: [PasskeyStore] })
export class PasskeysStoreModule {}
