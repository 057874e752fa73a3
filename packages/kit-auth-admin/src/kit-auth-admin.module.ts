import { authFeature } from 'kit-auth/feature';
import { Administration } from './administration/administration.js';
import { DefaultUserStore } from './administration/default-user-store.js';
import {
  ADMIN_MODULE_OPTIONS,
  AdminOptionsModule,
  freshIfWanted,
  type KitAuthAdminOptions,
} from './admin.options.js';
import { KitAuthAuditModule } from './audit/kit-auth-audit.module.js';
import { KitAuthRoleController } from './roles/role.controller.js';
import { rolesApi } from './roles/roles.api.js';
import { SessionOwners } from './sessions/session-owners.js';
import { userSessionsApi } from './sessions/user-sessions.api.js';
import { KitAuthUserSessionsController } from './sessions/user-sessions.controller.js';
import { UserSessions } from './sessions/user-sessions.js';
import { DefaultSessionOwners } from './users/default-session-owners.js';
import { KitAuthUserController } from './users/user.controller.js';
import { UserQueries } from './users/user.queries.js';
import { UserService } from './users/user.service.js';
import { usersApi } from './users/users.api.js';

const CONTROLLERS = [KitAuthUserController, KitAuthUserSessionsController, KitAuthRoleController];

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
export class KitAuthAdminModule extends authFeature<KitAuthAdminOptions>('kit-auth-admin', {
  optionsToken: ADMIN_MODULE_OPTIONS,
  endpoints: { ...usersApi, ...userSessionsApi, ...rolesApi },
  imports: [AdminOptionsModule, KitAuthAuditModule],
  controllers: CONTROLLERS,
  providers: [
    DefaultUserStore,
    Administration,
    UserQueries,
    UserService,
    { provide: SessionOwners, useClass: DefaultSessionOwners },
    UserSessions,
    freshIfWanted(...CONTROLLERS),
  ],
}) {}
