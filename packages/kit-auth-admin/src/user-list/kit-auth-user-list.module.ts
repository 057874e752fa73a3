import { authFeature, endpointsIfStoreHas } from 'kit-auth/feature';
import { AdminOptionsModule, freshIfWanted } from '../admin.options.js';
import { SessionOwners } from '../sessions/session-owners.js';
import { userSessionsApi } from '../sessions/user-sessions.api.js';
import { KitAuthUserSessionsController } from '../sessions/user-sessions.controller.js';
import { UserSessions } from '../sessions/user-sessions.js';
import { ListedUserChanges } from './listed-user.changes.js';
import { ListedUsers } from './listed-users.js';
import { userListApi } from './user-list.api.js';
import { KitAuthUserListController, KitAuthUserStatusController } from './user-list.controller.js';

/**
 * Endpoints to list users, to disable and enable them, and to end their sessions, for every user store with
 * `listUsers`. `PATCH users/{id}` exists if the store also has `disableUser` and `enableUser`. The options are `admin` of
 * `KitAuthModule`. For the default user store, import `KitAuthAdminModule` instead.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     KitAuthModule.forRoot({ users: MyUsersModule, admin: { freshAdmin: true } }),
 *     KitAuthSessionModule,
 *     KitAuthUserListModule,
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthUserListModule extends authFeature('kit-auth-admin', {
  endpoints: { ...userListApi, ...userSessionsApi },
  imports: [AdminOptionsModule],
  controllers: [KitAuthUserListController, KitAuthUserStatusController, KitAuthUserSessionsController],
  providers: [
    ListedUsers,
    ListedUserChanges,
    { provide: SessionOwners, useExisting: ListedUserChanges },
    UserSessions,
    endpointsIfStoreHas(KitAuthUserStatusController, 'disableUser', 'enableUser'),
    freshIfWanted(KitAuthUserSessionsController),
  ],
}) {}
