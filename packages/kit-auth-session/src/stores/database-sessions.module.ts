import { Module } from '@nestjs/common';
import { getDataSourceToken, getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import { CommandHooks } from 'kit-auth/feature';
import { LoginUserLoader } from 'kit-auth/typeorm';
import type { DataSource } from 'typeorm';
import { AuthSession } from './auth-session.entity.js';
import { DatabaseSessionStore } from './database.session-store.js';
import { DATABASE_SESSION_STORE } from './session-store.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthSession]);

/** Creates the database store. Undefined in applications without a data source. */
@CommandHooks()
@Module({
  providers: [
    {
      provide: getRepositoryToken(AuthSession),
      useFactory: (dataSource?: DataSource) => dataSource?.getRepository(AuthSession),
      inject: [{ token: getDataSourceToken(), optional: true }],
    },
    {
      provide: DATABASE_SESSION_STORE,
      useFactory: (dataSource?: DataSource, users?: LoginUserLoader) =>
        dataSource && (() => new DatabaseSessionStore(dataSource, users)),
      inject: [getDataSourceToken(), LoginUserLoader].map((token) => ({ token, optional: true })),
    },
  ],
  exports: [DATABASE_SESSION_STORE, getRepositoryToken(AuthSession)],
})
export class DatabaseSessionsModule {}
