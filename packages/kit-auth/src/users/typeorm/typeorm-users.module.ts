import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_USER_STORE } from '../../contract/user-store.js';
import { AccountChanges } from './account-changes.js';
import { AuthRole } from './auth-role.entity.js';
import { AuthUser } from './auth-user.entity.js';
import { DefaultAdministrator } from './default-administrator.js';
import { LoginUserLoader } from './login-user.loader.js';
import { TypeOrmUserStore } from './typeorm.user-store.js';

/** The default user store. `KitAuthModule` imports it unless the application provides another one. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuthUser, AuthRole])],
  providers: [
    LoginUserLoader,
    AccountChanges,
    DefaultAdministrator,
    TypeOrmUserStore,
    { provide: AUTH_USER_STORE, useExisting: TypeOrmUserStore },
  ],
  exports: [LoginUserLoader, AccountChanges],
})
export class TypeOrmUsersModule {}
