import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_EVENT_SINK } from 'kit-auth';
import { AuthRole, AuthUser } from 'kit-auth/typeorm';
import { Administration } from './administration.js';
import { AuditCleaner } from './audit/audit.cleaner.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditLog } from './audit/audit.log.js';
import { AuthAudit } from './audit/auth-audit.entity.js';
import { adminOptions, type KitAuthAdminOptions } from './kit-auth-admin.options.js';
import { RoleController } from './roles/role.controller.js';
import { RoleService } from './roles/role.service.js';
import { UserSessionsController } from './users/user-sessions.controller.js';
import { UserController } from './users/user.controller.js';
import { UserList } from './users/user.list.js';
import { UserService } from './users/user.service.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<KitAuthAdminOptions>()
  .setClassMethodName('forRoot')
  .build();

/** Management of users, roles and sessions, and the audit log. Works bare; `forRoot()` takes its settings. */
@Module({
  imports: [TypeOrmModule.forFeature([AuthUser, AuthRole, AuthAudit])],
  controllers: [UserController, UserSessionsController, RoleController, AuditController],
  providers: [
    adminOptions.provider(MODULE_OPTIONS_TOKEN),
    Administration,
    UserList,
    UserService,
    RoleService,
    AuditLog,
    { provide: AUTH_EVENT_SINK, useExisting: AuditLog },
    AuditCleaner,
  ],
})
export class KitAuthAdminModule extends ConfigurableModuleClass {}
