import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, KitAuthContext } from 'kit-auth';
import { ActiveProvider, type AdminAuthority, LoginThrottle, NewPasswords } from 'kit-auth/extend';
import {
  type AuthRole,
  AuthUser,
  AuthUserStatus,
  isActiveAdministrator,
  newSecurityStamp,
  refusingTexts,
  requireAnotherAdministrator,
  requireKept,
  RoleGraph,
  writePassword,
} from 'kit-auth/typeorm';
import type { EntityManager } from 'typeorm';
import { Administration } from '../administration/administration.js';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { badRequest, conflict, conflictIf } from '../input/refusals.js';
import { managedUserOf } from './managed-user.js';
import { UserSessions } from './user-sessions.js';
import type { ChangeUser, CreateUser } from './user.inputs.js';
import { UserQueries } from './user.queries.js';
import type { UserView } from './user.view.js';

const WRITE = 'auth:user:write';
const TAKEN = 'The username is taken';

/** Creates, changes and deletes users. */
@Injectable()
export class UserService {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly queries: UserQueries,
    private readonly administration: Administration,
    private readonly passwords: NewPasswords,
    private readonly provider: ActiveProvider,
    private readonly sessions: UserSessions,
    private readonly throttle: LoginThrottle,
    private readonly context: KitAuthContext,
  ) {}

  async create(input: CreateUser): Promise<UserView> {
    const action = this.administration.begin(WRITE);
    const { username, password, nickname = username, status = AuthUserStatus.ENABLED } = input;
    const passwordHash = await this.passwords.hash(password, username);
    const id = await action
      .change(async ({ transaction, authority, note }) => {
        const roles = await grantableRoles(transaction, authority, input.roles ?? []);
        if (await transaction.existsBy(AuthUser, { username })) {
          throw conflict(TAKEN);
        }
        const securityStamp = newSecurityStamp();
        const fields = { username, nickname, passwordHash, status, roles, securityStamp };
        const user = await transaction.save(transaction.create(AuthUser, fields));
        await requireKept(transaction, AuthUser, user.id, { username, nickname: input.nickname });
        await note({ type: 'user-created', subjectId: user.id, subject: username, detail: codesOf(roles) });
        return user.id;
      })
      .catch(conflictIf(() => this.store.manager.existsBy(AuthUser, { username }), TAKEN))
      .catch(refusingTexts(input));
    return this.queries.get(id);
  }

  async change(id: number, { nickname, status }: ChangeUser): Promise<UserView> {
    await this.administration
      .begin(WRITE)
      .changeUser(id, async ({ transaction, authority, requireFresh, note }) => {
        const user = await managedUserOf(transaction, authority, id);
        const about = { subjectId: id, subject: user.username };
        const isNewStatus = status !== undefined && status !== user.status;
        if (isNewStatus) {
          await requireFresh();
        }
        if (isNewStatus && isActiveAdministrator(user)) {
          await requireAnotherAdministrator(transaction, user);
        }
        if (nickname !== undefined && nickname !== user.nickname) {
          await transaction.update(AuthUser, { id }, { nickname });
          await requireKept(transaction, AuthUser, id, { nickname });
          await note({ type: 'user-changed', ...about, detail: 'nickname' });
        }
        if (isNewStatus) {
          await transaction.update(AuthUser, { id }, { status, securityStamp: newSecurityStamp() });
          await note({ type: 'user-status-changed', ...about, detail: status });
        }
        // Otherwise the sessions would be valid again once the user is enabled.
        return status === AuthUserStatus.DISABLED ? this.sessions.endedWith(user, 'disabled') : undefined;
      })
      .catch(refusingTexts({ nickname }));
    return this.queries.get(id);
  }

  async changeRoles(id: number, codes: readonly string[]): Promise<UserView> {
    await this.administration.begin(WRITE).change(async ({ transaction, authority, note }) => {
      const user = await managedUserOf(transaction, authority, id);
      const roles = await grantableRoles(transaction, authority, codes);
      const removed = user.roles.filter((role) => !codes.includes(role.code));
      const added = roles.filter((role) => !user.roles.some(({ code }) => code === role.code));
      if (removed.length + added.length === 0) {
        return;
      }
      if (isActiveAdministrator(user) && !isActiveAdministrator({ status: user.status, roles })) {
        await requireAnotherAdministrator(transaction, user);
      }
      await transaction.createQueryBuilder().relation(AuthUser, 'roles').of(id).addAndRemove(added, removed);
      await transaction.update(AuthUser, { id }, { securityStamp: newSecurityStamp() });
      const about = { subjectId: id, subject: user.username };
      await note({ type: 'user-roles-changed', ...about, detail: codesOf(roles) });
    });
    this.provider.userChanged(id);
    return this.queries.get(id);
  }

  /** Sets a password that the user must change at the next login, and ends the sessions of the user. */
  async resetPassword(id: number, newPassword: string): Promise<void> {
    const action = this.administration.begin(WRITE);
    const client = this.context.client();
    this.passwords.requireAdminResets();
    const { username } = await action.look((authority) => managedUserOf(this.store.manager, authority, id));
    if (id === action.userId) {
      throw conflict('Use POST /v1/api/auth/password to change your own password');
    }
    const passwordHash = await this.passwords.hash(newPassword, username, client);
    await action.endBefore(async ({ transaction, authority }) =>
      this.sessions.endedWith(await managedUserOf(transaction, authority, id), 'password-changed'),
    );
    await action.changeUser(id, async ({ transaction, authority, note }) => {
      const user = await managedUserOf(transaction, authority, id);
      if (!(await writePassword(transaction, id, { passwordHash, mustChange: true }))) {
        throw new AuthException(AuthErrorCode.CONFLICT);
      }
      await note({ type: 'password-reset', subjectId: id, subject: username });
      return this.sessions.endedWith(user, 'password-changed');
    });
  }

  /**
   * Clears the login failures of a user.
   *
   * @throws AuthException 40900 for the own account: whoever has stolen the token could guess the password without end
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
    await this.administration.begin(WRITE).changeUser(id, async ({ transaction, authority, note }) => {
      const user = await managedUserOf(transaction, authority, id);
      if (isActiveAdministrator(user)) {
        await requireAnotherAdministrator(transaction, user);
      }
      await transaction.createQueryBuilder().relation(AuthUser, 'roles').of(id).remove(user.roles);
      await transaction.delete(AuthUser, { id });
      await note({ type: 'user-deleted', subjectId: id, subject: user.username });
      return this.sessions.endedWith(user, 'kicked');
    });
  }
}

/**
 * @throws AuthException 40000 for a code without a role, 40300 for roles that the administrator may not grant, 40120 for
 * administrative roles when the login is not fresh
 */
async function grantableRoles(
  manager: EntityManager,
  authority: AdminAuthority,
  codes: readonly string[],
): Promise<AuthRole[]> {
  const graph = await RoleGraph.read(manager);
  const roles = graph.rolesOf(codes);
  if (roles.length < codes.length) {
    throw badRequest('roles contains a role that does not exist');
  }
  authority.requireGrant(graph.grantsOf(codes));
  return roles;
}

function codesOf(roles: readonly AuthRole[]): string {
  return `roles: ${roles.map(({ code }) => code).join(', ') || 'none'}`;
}
