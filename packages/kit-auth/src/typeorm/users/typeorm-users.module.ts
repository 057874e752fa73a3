import { type FactoryProvider, Global, Module, type Type } from '@nestjs/common';
import { getDataSourceToken, getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { UserDatabase } from '../../contract/user-database.js';
import { AUTH_USER_STORE } from '../../contract/user-store.js';
import { AccountChanges, requiredDataSource } from './account-changes.js';
import { DefaultAdministrator } from './default-administrator.js';
import { LoginUserLoader } from './login-user.loader.js';
import { TypeOrmUserDatabase } from './typeorm.user-database.js';
import { TypeOrmUserStore } from './typeorm.user-store.js';
import { kitAuthEntities } from './kit-auth.migrations.js';
import { CommandHooks } from '../../feature/commands/auth-command.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: without a data source, that fails
// with a message about internals.
TypeOrmModule.forFeature(kitAuthEntities);

const repositories = kitAuthEntities.map((entity: Type): FactoryProvider => ({
  provide: getRepositoryToken(entity),
  useFactory: (dataSource?: DataSource) => requiredDataSource(dataSource).getRepository(entity),
  inject: [{ token: getDataSourceToken(), optional: true }],
}));

/** The default user store. `KitAuthModule` imports it unless the application provides another one. */
@CommandHooks()
@Global()
@Module({
  providers: [
    ...repositories,
    LoginUserLoader,
    AccountChanges,
    DefaultAdministrator,
    TypeOrmUserStore,
    { provide: AUTH_USER_STORE, useExisting: TypeOrmUserStore },
    { provide: UserDatabase, useClass: TypeOrmUserDatabase },
  ],
  exports: [LoginUserLoader, TypeOrmUserStore, UserDatabase],
})
export class TypeOrmUsersModule {}
