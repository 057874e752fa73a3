import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_EVENT_SINK } from 'kit-auth';
import { Administration } from './administration/administration.js';
import { DefaultUserStore } from './administration/default-user-store.js';
import { AuditCleaner } from './audit/audit.cleaner.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditLog } from './audit/audit.log.js';
import { AuthAudit } from './audit/auth-audit.entity.js';
import { adminOptions, type KitAuthAdminOptions } from './kit-auth-admin.options.js';
import { RoleController } from './roles/role.controller.js';
import { RoleService } from './roles/role.service.js';
import { UserSessionsController } from './users/user-sessions.controller.js';
import { UserSessions } from './users/user-sessions.js';
import { UserController } from './users/user.controller.js';
import { UserQueries } from './users/user.queries.js';
import { UserService } from './users/user.service.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthAdminOptions>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Endpoints to manage users, roles and sessions, and the audit log. It needs the default user store, which has the
 * tables `auth_user` and `auth_role`.
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
@Module({
  // Registers the entity for `autoLoadEntities`. Without its repository: in an application without a data source, that
  // would fail before `DefaultUserStore` can say what is needed.
  imports: [{ ...TypeOrmModule.forFeature([AuthAudit]), providers: [], exports: [] }],
  controllers: [UserController, UserSessionsController, RoleController, AuditController],
  providers: [
    adminOptions.provider(MODULE_OPTIONS_TOKEN),
    DefaultUserStore,
    Administration,
    UserQueries,
    UserService,
    UserSessions,
    RoleService,
    AuditLog,
    { provide: AUTH_EVENT_SINK, useExisting: AuditLog },
    AuditCleaner,
  ],
})
export class KitAuthAdminModule extends ConfigurableModuleClass {
  /** Registers the module. Import `KitAuthAdminModule` itself to use the defaults. */
  static override forRoot(options: KitAuthAdminOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
