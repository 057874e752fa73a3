import { Inject, Injectable } from '@nestjs/common';
import type { AccountChange, UserId } from 'kit-auth';
import { type ActingAdministrator, ActingAdministrators, ActiveUserStore, conflict } from 'kit-auth/feature';
import { type EndedSessions, SessionEnds } from 'kit-auth/login';
import { adminOptions, type ResolvedAdminOptions } from '../admin.options.js';
import { type SessionOwner, SessionOwners } from '../sessions/session-owners.js';
import { ListedUsers } from './listed-users.js';

/** A user whom an administrator is about to change. */
interface ManagedUser extends SessionOwner {
  enabled: boolean;
}

type Work<Result> = (
  user: ManagedUser,
  change: AccountChange,
  administrator: ActingAdministrator,
) => Promise<Result>;

/** Changes users of any user store, in a transaction if the store has them. */
@Injectable()
export class ListedUserChanges extends SessionOwners {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly listed: ListedUsers,
    private readonly ends: SessionEnds,
    @Inject(adminOptions.token) private readonly options: ResolvedAdminOptions,
  ) {
    super();
  }

  override async find(text: string): Promise<UserId> {
    const { loaded, listed } = await this.listed.find(text);
    return loaded === undefined ? listed.id : loaded.userId;
  }

  override change(permission: string, text: string, work: Work<EndedSessions | undefined>): Promise<void> {
    const { freshAdmin: freshLogins } = this.options.settings;
    const administrator = this.administrators.begin(permission, { freshLogins });
    return administrator.noting(() =>
      this.ends.changeUser(administrator.action, administrator.idFrom(text), async (change) =>
        work(await this.managed(administrator, text), change, administrator),
      ),
    );
  }

  /**
   * Enables or disables a user. Administrators cannot disable themselves, so one always remains.
   *
   * @param endSessions of a user who was disabled, also if that was before: the session store may have failed then
   * @throws AuthException like `change`, 40120 for another status without a fresh login, 40900 for the own account and
   * if the store refuses
   */
  setEnabled(
    text: string,
    enabled: boolean,
    endSessions: (owner: SessionOwner) => EndedSessions,
  ): Promise<void> {
    return this.change('auth:user:write', text, async (user, change, administrator) => {
      const { userId, username } = user;
      if (enabled !== user.enabled) {
        if (userId === administrator.userId) {
          throw conflict('Ask another administrator to disable your account');
        }
        await administrator.requireFresh();
        if (await this.users[enabled ? 'enableUser' : 'disableUser'](userId, change)) {
          const detail = enabled ? 'ENABLED' : 'DISABLED';
          await change.note({ type: 'user-status-changed', subjectId: userId, subject: username, detail });
        }
      }
      return enabled ? undefined : endSessions({ userId, username });
    });
  }

  /** @throws AuthException 40400; 40300, for disabled users unless the administrator is a super administrator */
  private async managed(administrator: ActingAdministrator, text: string): Promise<ManagedUser> {
    const authority = await administrator.authority();
    const { loaded, listed } = await this.listed.find(text);
    authority.require(loaded);
    return loaded === undefined
      ? { userId: listed.id, username: listed.username, enabled: listed.enabled }
      : { userId: loaded.userId, username: loaded.username, enabled: true };
  }
}
