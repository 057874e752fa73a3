import { Inject, Injectable } from '@nestjs/common';
import type { AuthAction } from 'kit-auth';
import { ActingAdministrators, type AdminAuthority } from 'kit-auth/feature';
import { ActiveProvider, type EndedSessions, SessionEnds } from 'kit-auth/login';
import type { RoleChange } from 'kit-auth/typeorm';
import { adminOptions, type ResolvedAdminOptions } from '../admin.options.js';
import { DefaultUserStore } from './default-user-store.js';

/** The authority belongs to the acting user, as of the transaction. */
export interface AdministrativeChange extends RoleChange {
  /** Call this for a change that removes a safeguard. @throws AuthException 40120 */
  readonly requireFresh: () => Promise<void>;
}

/** An action of an administrator. A refusal with 40300 is an event. */
export interface AdministrativeAction extends Pick<AuthAction, 'note'> {
  readonly userId: number;
  /**
   * Runs work in a transaction that holds the lock of administrative changes.
   *
   * @throws AuthException 40101 when the acting user is no longer enabled, or the token is from before their security
   * stamp changed; 40300 when they no longer have the permission; 40301 when they must choose a new password
   */
  change<T>(work: (change: AdministrativeChange) => Promise<T>): Promise<T>;
  /** Like `change`, for work that changes a user and ends their sessions: see `SessionEnds.change`. */
  changeUser(
    id: number,
    work: (change: AdministrativeChange) => Promise<EndedSessions | undefined>,
  ): Promise<void>;
  /** Ends sessions before `changeUser`: see `SessionEnds.before`. */
  endSessionsFirst(work: (change: AdministrativeChange) => Promise<EndedSessions>): Promise<void>;
  /** Runs reads, without a transaction. @throws AuthException like `change` */
  read<T>(work: (authority: AdminAuthority) => Promise<T>): Promise<T>;
}

/**
 * Runs changes by administrators one at a time, across all instances. The conditions that a change checks still hold at
 * its commit.
 */
@Injectable()
export class Administration {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly administrators: ActingAdministrators,
    private readonly ends: SessionEnds,
    private readonly provider: ActiveProvider,
    @Inject(adminOptions.token) private readonly options: ResolvedAdminOptions,
  ) {}

  /**
   * Begins an action of the current user. Call this before the first `await`.
   *
   * @param permission the user must still have it when the work runs
   * @throws AuthException 40100 when the request has no user
   */
  begin(permission: string): AdministrativeAction {
    const { freshAdmin: freshLogins } = this.options.settings;
    const administrator = this.administrators.begin(permission, { freshLogins });
    const { action, userId } = administrator;
    const requireFresh = () => administrator.requireFresh();
    const change = <T>(work: (change: AdministrativeChange) => Promise<T>): Promise<T> =>
      administrator.noting(() =>
        this.store.users.administer(action, async (begun) =>
          work({ ...begun, authority: await administrator.authority(), requireFresh }),
        ),
      );
    return {
      userId,
      note: (event) => action.note(event),
      change,
      changeUser: async (id, work) => {
        await administrator.noting(async () => administrator.requireOther(id));
        await this.ends.change(action, change, work, () => this.provider.userChanged(id));
      },
      endSessionsFirst: (work) => this.ends.before(action, change, work),
      read: (work) => administrator.noting(async () => work(await administrator.authority())),
    };
  }
}
