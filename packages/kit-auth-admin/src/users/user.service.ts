import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, KitAuthContext, type SessionEndReason } from 'kit-auth';
import { ActiveProvider, type EndedSessions, LoginThrottle, NewPasswords } from 'kit-auth/login';
import { ActiveUserStore, badRequest, type Call, conflict, rolesDetail } from 'kit-auth/feature';
import { type AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { Administration, type AdministrativeChange } from '../administration/administration.js';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { managedUserOf } from './managed-user.js';
import { UserSessions } from '../sessions/user-sessions.js';
import { UserQueries } from './user.queries.js';
import type { usersApi, UserView } from './users.api.js';

const WRITE = 'auth:user:write';

type Body<K extends keyof typeof usersApi> = Call<typeof usersApi, K>['body'];

/** Creates, changes and deletes users. */
@Injectable()
export class UserService {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly users: ActiveUserStore,
    private readonly queries: UserQueries,
    private readonly administration: Administration,
    private readonly passwords: NewPasswords,
    private readonly provider: ActiveProvider,
    private readonly sessions: UserSessions,
    private readonly throttle: LoginThrottle,
    private readonly context: KitAuthContext,
  ) {}

  async create(input: Body<'POST users'>): Promise<UserView> {
    const action = this.administration.begin(WRITE);
    const { username, password, nickname = username, roles = [], status } = input;
    const passwordHash = await this.passwords.hash(password, username);
    const enabled = status !== AuthUserStatus.DISABLED;
    const id = await action.change(async (change) => {
      await this.requireGrantable(roles, change);
      const user = { username, nickname, passwordHash, roles, enabled };
      await this.users.requireOwnAddress(username, undefined, change);
      const subjectId = await this.store.users.createUser(user, change);
      await change.note({ type: 'user-created', subjectId, subject: username, detail: rolesDetail(roles) });
      return subjectId;
    });
    return this.queries.get(id);
  }

  async change(id: number, { nickname, status }: Body<'PATCH users/{id}'>): Promise<UserView> {
    await this.administration.begin(WRITE).changeUser(id, async (change) => {
      const user = await managedUserOf(change.transaction, change.authority, id);
      const about = { subjectId: id, subject: user.username };
      const isNewStatus = status !== undefined && status !== user.status;
      if (isNewStatus) {
        await change.requireFresh();
        await this.setStatus(id, status, change);
      }
      if (nickname !== undefined && nickname !== user.nickname) {
        await this.store.users.changeNickname(id, nickname, change);
        await change.note({ type: 'user-changed', ...about, detail: 'nickname' });
      }
      if (isNewStatus) {
        await change.note({ type: 'user-status-changed', ...about, detail: status });
      }
      // Otherwise the sessions would be valid again once the user is enabled.
      return status === AuthUserStatus.DISABLED ? this.endedWith(user, 'disabled') : undefined;
    });
    return this.queries.get(id);
  }

  async changeRoles(id: number, codes: readonly string[]): Promise<UserView> {
    await this.administration.begin(WRITE).change(async (change) => {
      const user = await managedUserOf(change.transaction, change.authority, id);
      await this.requireGrantable(codes, change);
      if (await this.store.users.changeRoles(id, codes, change)) {
        const about = { subjectId: id, subject: user.username };
        await change.note({ type: 'user-roles-changed', ...about, detail: rolesDetail(codes) });
      }
    });
    this.provider.userChanged(id);
    return this.queries.get(id);
  }

  /** Sets a password that the user must change at the next login, and ends the sessions of the user. */
  async resetPassword(id: number, newPassword: string): Promise<void> {
    const action = this.administration.begin(WRITE);
    const client = this.context.client();
    this.passwords.requireAdminResets();
    const { username } = await action.read((authority) =>
      this.store.read((manager) => managedUserOf(manager, authority, id)),
    );
    if (id === action.userId) {
      throw conflict('Use POST /v1/api/auth/password to change your own password');
    }
    const passwordHash = await this.passwords.hash(newPassword, username, client);
    await action.endSessionsFirst(async ({ transaction, authority }) =>
      this.endedWith(await managedUserOf(transaction, authority, id), 'password-changed'),
    );
    await action.changeUser(id, async (change) => {
      const user = await managedUserOf(change.transaction, change.authority, id);
      if (!(await this.store.users.changePassword(id, { passwordHash, mustChange: true }, change))) {
        throw new AuthException(AuthErrorCode.CONFLICT);
      }
      await change.note({ type: 'password-reset', subjectId: id, subject: username });
      return this.endedWith(user, 'password-changed');
    });
  }

  /**
   * Clears the login failures of a user.
   *
   * @throws AuthException 40900 for the administrator's own account: with a stolen token, an attacker could otherwise
   * guess the password without limit
   */
  async unlock(id: number): Promise<void> {
    const action = this.administration.begin(WRITE);
    if (id === action.userId) {
      throw conflict('Ask another administrator to unlock your account');
    }
    const unlocked = await action.change(async ({ transaction, authority, note }) => {
      const { username } = await managedUserOf(transaction, authority, id);
      const event = { type: 'user-unlocked', subjectId: id, subject: username } as const;
      await note(event);
      return event;
    });
    // The throttle may keep its counters elsewhere, so the event is committed first.
    try {
      await this.throttle.unlock(unlocked.subject);
    } catch (error) {
      action.note({ ...unlocked, success: false, detail: 'the throttle failed' });
      throw error;
    }
  }

  async remove(id: number): Promise<void> {
    await this.administration.begin(WRITE).changeUser(id, async (change) => {
      const user = await managedUserOf(change.transaction, change.authority, id);
      await this.store.users.deleteUser(id, change);
      await change.note({ type: 'user-deleted', subjectId: id, subject: user.username });
      return this.endedWith(user, 'kicked');
    });
  }

  private endedWith({ id, username }: AuthUser, reason: SessionEndReason): EndedSessions {
    return this.sessions.endedWith({ userId: id, username }, reason);
  }

  /** @throws AuthException 40900 for the last administrator */
  private setStatus(id: number, status: AuthUserStatus, change: AdministrativeChange): Promise<boolean> {
    const { users } = this.store;
    return status === AuthUserStatus.DISABLED ? users.disableUser(id, change) : users.enableUser(id, change);
  }

  /**
   * @throws AuthException 40000 for a code without a role, 40300 for roles that the administrator may not grant, 40120 for
   * administrative roles when the login is not fresh
   */
  private async requireGrantable(codes: readonly string[], change: AdministrativeChange): Promise<void> {
    const grants = await this.users.grantsOf(codes, change);
    if (grants === undefined) {
      throw badRequest('roles contains a role that does not exist');
    }
    await change.authority.requireGrant(grants);
  }
}
