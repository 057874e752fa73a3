import { ConfigurableModuleBuilder, type DynamicModule, Inject, Module } from '@nestjs/common';
import { AUTH_OPERATIONS, CommandHooks, FreshLogins } from 'kit-auth/extend';
import { Administration } from './administration/administration.js';
import { DefaultUserStore } from './administration/default-user-store.js';
import { KitAuthAuditModule } from './audit/kit-auth-audit.module.js';
import {
  ADMIN_MODULE_OPTIONS,
  adminOptions,
  type KitAuthAdminOptions,
  type ResolvedAdminOptions,
} from './kit-auth-admin.options.js';
import { AdminSettingsModule } from './kit-auth-admin.settings.module.js';
import { adminOperations } from './operations.js';
import { KitAuthRoleController } from './roles/role.controller.js';
import { RoleService } from './roles/role.service.js';
import { DefaultSessionOwners } from './users/default-session-owners.js';
import { SessionOwners } from './users/session-owners.js';
import { KitAuthUserSessionsController } from './users/user-sessions.controller.js';
import { UserSessions } from './users/user-sessions.js';
import { KitAuthUserController } from './users/user.controller.js';
import { UserQueries } from './users/user.queries.js';
import { UserService } from './users/user.service.js';

/** Passes the options to `AdminSettingsModule`, which has one instance, with or without options. */
class AdminOptionsModule {}

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<KitAuthAdminOptions>({
  optionsInjectionToken: ADMIN_MODULE_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras({}, ({ module, ...options }) => ({
    module,
    imports: [{ ...options, module: AdminOptionsModule, global: true, exports: [ADMIN_MODULE_OPTIONS] }],
  }))
  .build();

/**
 * Endpoints to manage users, roles and sessions, and the audit log. It needs the default user store, which has the
 * tables `auth_user` and `auth_role`. With another user store, import `KitAuthUserListModule` and `KitAuthAuditModule`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthAdminModule.forRoot({ auditRetentionDays: 90 }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Module({
  imports: [AdminSettingsModule, KitAuthAuditModule],
  controllers: [KitAuthUserController, KitAuthUserSessionsController, KitAuthRoleController],
  providers: [
    DefaultUserStore,
    Administration,
    UserQueries,
    UserService,
    { provide: SessionOwners, useClass: DefaultSessionOwners },
    UserSessions,
    RoleService,
    { provide: AUTH_OPERATIONS, useValue: adminOperations },
  ],
})
export class KitAuthAdminModule extends ConfigurableModuleClass {
  constructor(@Inject(adminOptions.token) { settings }: ResolvedAdminOptions, freshLogins: FreshLogins) {
    super();
    if (!settings.freshAdmin) {
      freshLogins.switchOffFor(KitAuthUserController, KitAuthUserSessionsController, KitAuthRoleController);
    }
  }

  /** Registers the module. Import `KitAuthAdminModule` itself to use the defaults. */
  static override forRoot(options: KitAuthAdminOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
