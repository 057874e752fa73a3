import { ConfigurableModuleBuilder, type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessChecker } from './guard/access.checker.js';
import { AccountController } from './account/account.controller.js';
import { PasswordChange } from './account/password-change.js';
import { OwnSessions } from './account/own-sessions.js';
import { ConfigCheck } from './config/config.check.js';
import type { KitAuthOptions } from './config/kit-auth.options.js';
import { RESOLVED_OPTIONS, type ResolvedOptions, resolveOptions } from './config/resolve-options.js';
import { RequestContextModule } from './context/request-context.module.js';
import { KIT_AUTH_SETTINGS } from './contract/settings.js';
import { AuthExceptionFilter } from './errors/auth-exception.filter.js';
import { AuthEvents } from './events/auth-events.js';
import { AuthGuard } from './guard/auth.guard.js';
import { RouteAccessReport } from './routes/route-access.report.js';
import { RouteExplorer } from './routes/route.explorer.js';
import { RouteRules } from './routes/route-rules.js';
import { TokenReader } from './guard/token.reader.js';
import { AuthController } from './login/auth.controller.js';
import { BodyErrorModule } from './login/body-error.module.js';
import { ActiveProvider } from './provider/active.provider.js';
import { AuthManager } from './login/auth.manager.js';
import { SessionEnds } from './account/session-ends.js';
import { AccountChanges } from './users/typeorm/account-changes.js';
import { AuthRole } from './users/typeorm/auth-role.entity.js';
import { AuthUser } from './users/typeorm/auth-user.entity.js';
import { Credentials } from './login/credentials.js';
import { LoginUserLoader } from './users/typeorm/login-user.loader.js';
import { PasswordHasher } from './users/password.hasher.js';
import { PasswordPolicy } from './account/password.policy.js';
import { NewPasswords } from './account/new-passwords.js';
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
    LoginUserLoader,
    PasswordHasher,
    PasswordPolicy,
    NewPasswords,
    AccountChanges,
    AuthEvents,
    PasswordChange,
    OwnSessions,
    SessionEnds,
    RouteExplorer,
    RouteAccessReport,
    DefaultAdminSeeder,
  ],
  exports: [
    KIT_AUTH_SETTINGS,
    RequestContextModule,
    AccountChanges,
    AuthEvents,
    AuthManager,
    RouteAccessReport,
    LoginThrottle,
    LoginUserLoader,
    SessionEnds,
    NewPasswords,
  ],
})
export class KitAuthModule extends ConfigurableModuleClass {
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
