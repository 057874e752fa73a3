import { type FactoryProvider, Global, Module, type Type } from '@nestjs/common';
import { getDataSourceToken, getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AUTH_USER_STORE } from '../../contract/user-store.js';
import { AccountChanges, requiredDataSource } from './account-changes.js';
import { AuthRole } from './auth-role.entity.js';
import { AuthUser } from './auth-user.entity.js';
import { DefaultAdministrator } from './default-administrator.js';
import { LoginUserLoader } from './login-user.loader.js';
import { TypeOrmUserStore } from './typeorm.user-store.js';
import { CommandHooks } from '../../commands/auth-command.js';

// Adds the entities to data sources with autoLoadEntities. Its module is not imported: without a data source, that fails
// with a message about internals.
TypeOrmModule.forFeature([AuthUser, AuthRole]);

const repositories = [AuthUser, AuthRole].map((entity: Type): FactoryProvider => ({
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
  ],
  exports: [LoginUserLoader, TypeOrmUserStore],
})
export class TypeOrmUsersModule {}
