import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { IllegalStateException, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import {
  ActiveUserStore,
  AUTH_OPERATIONS,
  CommandHooks,
  endpointsIfStoreHas,
  FreshLogins,
} from 'kit-auth/extend';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { adminOptions, type ResolvedAdminOptions } from '../kit-auth-admin.options.js';
import { AdminSettingsModule } from '../kit-auth-admin.settings.module.js';
import { userListOperations } from '../operations.js';
import { SessionOwners } from '../users/session-owners.js';
import { KitAuthUserSessionsController } from '../users/user-sessions.controller.js';
import { UserSessions } from '../users/user-sessions.js';
import { ListedUserChanges } from './listed-user.changes.js';
import { ListedUsers } from './listed-users.js';
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
@CommandHooks()
@Module({
  imports: [AdminSettingsModule],
  controllers: [KitAuthUserListController, KitAuthUserStatusController, KitAuthUserSessionsController],
  providers: [
    ListedUsers,
    ListedUserChanges,
    { provide: SessionOwners, useExisting: ListedUserChanges },
    UserSessions,
    endpointsIfStoreHas(KitAuthUserStatusController, 'disableUser', 'enableUser'),
    { provide: AUTH_OPERATIONS, useValue: userListOperations },
  ],
})
export class KitAuthUserListModule implements OnModuleInit {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly users: ActiveUserStore,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    @Inject(adminOptions.token) { settings }: ResolvedAdminOptions,
    freshLogins: FreshLogins,
  ) {
    if (!settings.freshAdmin) {
      freshLogins.switchOffFor(KitAuthUserSessionsController);
    }
  }

  /**
   * @throws IllegalStateException when the user store has no `listUsers`, and when `KitAuthAdminModule` has the same
   * endpoints
   */
  onModuleInit(): void {
    if (!this.core.enabled) {
      return;
    }
    if ([...this.modules.values()].some(({ providers }) => providers.has(DefaultUserStore))) {
      throw new IllegalStateException(
        'KitAuthUserListModule and KitAuthAdminModule have the same endpoints. Remove KitAuthUserListModule, or, with ' +
          'your own user store, KitAuthAdminModule.',
      );
    }
    this.users.require('KitAuthUserListModule', 'listUsers');
  }
}
