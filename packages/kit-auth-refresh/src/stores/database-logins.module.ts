import { Module } from '@nestjs/common';
import { getDataSourceToken, getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { CommandHooks } from 'kit-auth/extend';
import { TypeOrmUserStore } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';
import { LOGIN_STORE } from '../config/tokens.js';
import { AuthLogin } from './auth-login.entity.js';
import { DatabaseLoginStore } from './database.login-store.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthLogin]);

/** The store. Undefined in applications without a data source. */
@CommandHooks()
@Module({
  providers: [
    {
      provide: getRepositoryToken(AuthLogin),
      useFactory: (dataSource?: DataSource) => dataSource?.getRepository(AuthLogin),
      inject: [{ token: getDataSourceToken(), optional: true }],
    },
    {
      provide: LOGIN_STORE,
      useFactory: (dataSource?: DataSource, users?: TypeOrmUserStore) =>
        dataSource && new DatabaseLoginStore(dataSource, users !== undefined),
      inject: [getDataSourceToken(), TypeOrmUserStore].map((token) => ({ token, optional: true })),
    },
  ],
  exports: [LOGIN_STORE, getRepositoryToken(AuthLogin)],
})
export class DatabaseLoginsModule {}
