import { ConfigurableModuleBuilder, type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessChecker } from './access/access.checker.js';
import { AccountController } from './account/account.controller.js';
import { OwnPassword } from './account/own-password.js';
import { OwnSessions } from './account/own-sessions.js';
import { ConfigCheck } from './config/config.check.js';
import type { KitAuthOptions } from './config/kit-auth.options.js';
import { RESOLVED_OPTIONS, type ResolvedOptions, resolveOptions } from './config/resolve-options.js';
import { RequestContextModule } from './context/request-context.module.js';
import { KIT_AUTH_SETTINGS } from './contract/settings.js';
import { AuthExceptionFilter } from './errors/auth-exception.filter.js';
import { AuthEvents } from './events/auth-events.js';
import { AuthGuard } from './guard/auth.guard.js';
import { KitAuth } from './guard/kit-auth.js';
import { RouteExplorer } from './guard/route.explorer.js';
import { RouteRules } from './guard/route-rules.js';
import { TokenReader } from './guard/token.reader.js';
import { AuthController } from './login/auth.controller.js';
import { BodyErrorModule } from './login/body-error.module.js';
import { ActiveProvider } from './provider/active.provider.js';
import { AuthManager } from './provider/auth.manager.js';
import { SessionEnds } from './provider/session-ends.js';
import { AccountChanges } from './rbac/account-changes.js';
import { AuthRole } from './rbac/auth-role.entity.js';
import { AuthUser } from './rbac/auth-user.entity.js';
import { Credentials } from './rbac/credentials.js';
import { LoginUsers } from './rbac/login-users.js';
import { PasswordHasher } from './rbac/password.hasher.js';
import { PasswordPolicy } from './rbac/password.policy.js';
import { UserPasswords } from './rbac/user-passwords.js';
import { DefaultAdminSeeder } from './seeding/default-admin.seeder.js';
import { LoginThrottle } from './throttle/login.throttle.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthOptions>()
  .setClassMethodName('forRoot')
  .build();

/** The core: guard, login, users and roles. An application imports it once, beside one implementation. */
@Global()
@Module({
  imports: [
    RequestContextModule,
    BodyErrorModule,
    DiscoveryModule,
    TypeOrmModule.forFeature([AuthUser, AuthRole]),
  ],
  controllers: [AuthController, AccountController],
  providers: [
    {
      provide: RESOLVED_OPTIONS,
      useFactory: resolveOptions,
      inject: [{ token: MODULE_OPTIONS_TOKEN, optional: true }],
    },
    {
      provide: KIT_AUTH_SETTINGS,
      useFactory: ({ settings }: ResolvedOptions) => settings,
      inject: [RESOLVED_OPTIONS],
    },
    ConfigCheck,
    RouteRules,
    TokenReader,
    AccessChecker,
    AuthGuard,
    { provide: APP_GUARD, useExisting: AuthGuard },
    AuthExceptionFilter,
    { provide: APP_FILTER, useExisting: AuthExceptionFilter },
    ActiveProvider,
    AuthManager,
    LoginThrottle,
    Credentials,
    LoginUsers,
    PasswordHasher,
    PasswordPolicy,
    UserPasswords,
    AccountChanges,
    AuthEvents,
    OwnPassword,
    OwnSessions,
    SessionEnds,
    RouteExplorer,
    KitAuth,
    DefaultAdminSeeder,
  ],
  exports: [
    KIT_AUTH_SETTINGS,
    RequestContextModule,
    AccountChanges,
    AuthEvents,
    AuthManager,
    KitAuth,
    LoginThrottle,
    LoginUsers,
    SessionEnds,
    UserPasswords,
  ],
})
export class KitAuthModule extends ConfigurableModuleClass {
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
