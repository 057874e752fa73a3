import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import {
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
  type ListedUser,
  type LoginUser,
  type UserId,
} from 'kit-auth';
import { ActiveUserStore, type Call, notFound, unavailable } from 'kit-auth/feature';
import { LoginThrottle } from 'kit-auth/login';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { rangeOf } from '../input/query.js';
import type { ListedPage, ListedUserView, userListApi } from './user-list.api.js';

const BATCH = 1000;

/** Reads the users of any user store with `listUsers` and `loadLoginUser`. */
@Injectable()
export class ListedUsers implements OnModuleInit {
  private readonly logger = new Logger('KitAuth');

  constructor(
    private readonly users: ActiveUserStore,
    private readonly throttle: LoginThrottle,
    private readonly modules: ModulesContainer,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  /**
   * @throws IllegalStateException when the user store has no `listUsers`, and when `KitAuthAdminModule` has the same
   * endpoints
   */
  onModuleInit(): void {
    if (!this.settings.enabled) {
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

  /** @throws AuthException 40400 */
  async get(text: string): Promise<ListedUserView> {
    const { loaded, listed } = await this.find(text);
    return loaded === undefined
      ? viewOfListed(listed, await this.throttle.lockedUntil(listed.username))
      : viewOfLoaded(loaded, await this.throttle.lockedUntil(loaded.username));
  }

  /**
   * Finds a user. Those who cannot be loaded, because they are disabled, are looked for in the list.
   *
   * @param text the id in the path
   * @throws AuthException 40400
   */
  async find(
    text: string,
  ): Promise<{ loaded: LoginUser; listed?: undefined } | { loaded?: undefined; listed: ListedUser }> {
    const id = this.users.idFrom(text);
    if (id === undefined) {
      throw notFound('User');
    }
    const loaded = await this.users.loadLoginUser(id);
    if (loaded !== undefined) {
      return { loaded };
    }
    const listed = await this.listed(id);
    if (listed === undefined) {
      throw notFound('User');
    }
    return { listed };
  }

  async page({ status, ...query }: Call<typeof userListApi, 'GET users'>['query']): Promise<ListedPage> {
    const { page, size, skip } = rangeOf(query);
    const found: ListedUser[] = [];
    let matches = 0;
    // One more than is wanted shows whether the page is the last.
    for await (const user of this.all(status === undefined ? skip + size + 1 : undefined)) {
      if (status === undefined || statusOf(user.enabled) === status) {
        matches++;
        if (matches > skip + size) {
          break;
        }
        if (matches > skip) {
          found.push(user);
        }
      }
    }
    const items = found.map(async (user) =>
      viewOfListed(user, await this.throttle.lockedUntil(user.username)),
    );
    return { items: await Promise.all(items), page, size, total: matches > skip + size ? null : matches };
  }

  private async listed(id: UserId): Promise<ListedUser | undefined> {
    if (typeof id === 'number') {
      const [next] = await this.users.listUsers({ after: id - 1, limit: 1 });
      return next?.id === id ? next : undefined;
    }
    // No string is known to be just before another in the order of the store.
    for await (const user of this.all()) {
      if (user.id === id) {
        return user;
      }
    }
    return undefined;
  }

  /**
   * All users, ordered by id, read in batches.
   *
   * @param wanted how many the caller reads at most, so that the store is not asked for more
   */
  private async *all(wanted = Number.POSITIVE_INFINITY): AsyncGenerator<ListedUser> {
    let last: UserId | undefined;
    let left = wanted;
    while (left > 0) {
      const limit = Math.min(BATCH, left);
      const batch = await this.users.listUsers({ ...(last !== undefined && { after: last }), limit });
      const end = batch.at(-1)?.id;
      if (end === undefined) {
        return;
      }
      if (end === last) {
        throw this.endless();
      }
      yield* batch;
      last = end;
      left -= batch.length;
    }
  }

  private endless(): Error {
    const cause = new IllegalStateException(
      `${this.users.get().constructor.name}.listUsers() returned the same page again: it ignores page.after.`,
    );
    this.logger.error(`[auth] ${cause.message}`);
    return unavailable(cause);
  }
}

function statusOf(enabled: boolean): AuthUserStatus {
  return enabled ? AuthUserStatus.ENABLED : AuthUserStatus.DISABLED;
}

const UNTOLD = { createdAt: null, updatedAt: null } as const;

function viewOfListed(user: ListedUser, lockedUntil: Date | null): ListedUserView {
  return {
    userId: user.id,
    username: user.username,
    nickname: user.nickname,
    status: statusOf(user.enabled),
    superAdmin: null,
    roles: [...user.roles].sort(),
    mustChangePassword: null,
    lockedUntil,
    lastLoginAt: user.lastLoginAt ?? null,
    ...UNTOLD,
  };
}

/** @param user is enabled, because no other user can be loaded */
function viewOfLoaded(user: LoginUser, lockedUntil: Date | null): ListedUserView {
  return {
    userId: user.userId,
    username: user.username,
    nickname: user.nickname,
    status: AuthUserStatus.ENABLED,
    superAdmin: user.superAdmin,
    roles: [...user.roles].sort(),
    mustChangePassword: user.mustChangePassword ?? false,
    lockedUntil,
    lastLoginAt: null,
    ...UNTOLD,
  };
}
