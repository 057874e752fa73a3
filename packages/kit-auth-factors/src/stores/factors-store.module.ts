import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CommandHooks } from 'kit-auth/extend';
import { AuthRecoveryCode } from './auth-recovery-code.entity.js';
import { AuthTotp } from './auth-totp.entity.js';
import { FactorStore } from './factor.store.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthTotp, AuthRecoveryCode]);

@CommandHooks()
@Module({ providers: [FactorStore], exports: [FactorStore] })
export class FactorsStoreModule {}
