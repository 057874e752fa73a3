import { Injectable } from '@nestjs/common';
import {
  type AuthAction,
  AuthErrorCode,
  AuthEvents,
  AuthException,
  hasPermission,
  KitAuthContext,
  type LoginUser,
} from 'kit-auth';
import { ActiveProvider, type EndedSessions, SessionEnds } from 'kit-auth/extend';
import {
  type TypeOrmChange,
  AccountChanges,
  AuthRole,
  AuthUser,
  AuthUserStatus,
  LoginUserLoader,
  SUPER_ADMIN,
} from 'kit-auth/typeorm';
import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { conflict, forbidden, notFound } from './input/refusals.js';

export interface AdministrativeChange extends TypeOrmChange {
  /** Who makes it, as they are now. */
  actor: LoginUser;
}

/** What an administrator does, from its beginning on. A refusal of it is an event. */
export interface AdministrativeAction extends Pick<AuthAction, 'note'> {
  readonly userId: number;
  /**
   * Runs work in a transaction once it has the lock: the first write of each change is to the same row.
   *
   * @throws AuthException 40101 when the actor is no longer enabled, or their security stamp is newer than the token; 40300
   * when they no longer have the permission, 40301 when they have to choose a new password
   */
  change<T>(work: (change: AdministrativeChange) => Promise<T>): Promise<T>;
  /** `change` for what ends sessions. */
  changeAndEnd(work: (change: AdministrativeChange) => Promise<EndedSessions | undefined>): Promise<void>;
  /** Ends sessions before `changeAndEnd`, where their end is no part of its transaction. */
  endBefore(work: (change: AdministrativeChange) => Promise<EndedSessions>): Promise<void>;
  /** Runs work that changes nothing in the database. @throws AuthException as `change` */
  look<T>(work: (actor: LoginUser) => Promise<T>): Promise<T>;
}

/** Changes by administrators, one after the other over all instances: what is checked still holds when it is written. */
@Injectable()
export class Administration {
  private lockId: number | undefined;

  constructor(
    private readonly changes: AccountChanges,
    private readonly users: LoginUserLoader,
    private readonly provider: ActiveProvider,
    private readonly context: KitAuthContext,
    private readonly ends: SessionEnds,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Begins an action of the current user. Call it before the first `await`.
   *
   * @param permission that the actor still has to have when it is done
   * @throws AuthException 40100 where there is no user
   */
  begin(permission: string): AdministrativeAction {
    const action = this.events.begin();
    if (action.user === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_MISSING);
    }
    const { userId } = action.user;
    const change = <T>(work: (change: AdministrativeChange) => Promise<T>): Promise<T> =>
      auditing(action, () =>
        this.changes.run(
          action,
          async (begun) => {
            await this.lock(begun.transaction);
            return work({ ...begun, actor: await this.actor(userId, permission, begun.transaction) });
          },
          'administration',
        ),
      );
    return {
      userId,
      note: (event) => action.note(event),
      change,
      changeAndEnd: (work) => this.ends.change(action, change, work),
      endBefore: (work) => this.ends.before(action, change, work),
      look: (work) =>
        auditing(action, async () => work(await action.run(() => this.actor(userId, permission)))),
    };
  }

  /**
   * Makes changes follow one another: the first write of each is to the row of `SUPER_ADMIN`. By its id, because MariaDB
   * locks an index besides when it finds a row by another, and a new code next to it waits for that.
   */
  private async lock(manager: EntityManager): Promise<void> {
    const isLocked = async (row: FindOptionsWhere<AuthRole>) =>
      ((await manager.update(AuthRole, row, { name: () => 'name' })).affected ?? 0) > 0;
    if (this.lockId !== undefined && (await isLocked({ id: this.lockId }))) {
      return;
    }
    const row = { code: SUPER_ADMIN };
    await isLocked(row);
    this.lockId = (await manager.findOne(AuthRole, { select: { id: true }, where: row }))?.id;
  }

  /**
   * Somebody as they are now: a stateless token says what was true at its login. Whoever was demoted since must not undo
   * it, nor must somebody with a token from before the password was changed.
   */
  private async actor(userId: number, permission: string, manager?: EntityManager): Promise<LoginUser> {
    const actor = await this.users.load(userId, manager);
    if (actor === undefined) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'disabled' });
    }
    if (!hasPermission(actor, permission)) {
      throw forbidden(`The user lacks the permission ${permission}`);
    }
    if (actor.mustChangePassword) {
      throw new AuthException(AuthErrorCode.PASSWORD_CHANGE_REQUIRED);
    }
    const principal = this.context.principal();
    const stamp = await this.users.stampOf(userId, manager);
    if (principal === undefined) {
      return actor;
    }
    if (stamp === undefined || !this.provider.isIssuedFor(principal, stamp)) {
      throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'revoked' });
    }
    return this.provider.hasResolved(principal) ? actor : limitedTo(principal.user, actor);
  }
}

/** A credential, for example an API key, may have fewer rights than its owner. */
function limitedTo({ superAdmin, roles, permissions }: LoginUser, actor: LoginUser): LoginUser {
  return {
    ...actor,
    superAdmin: superAdmin && actor.superAdmin,
    roles: actor.roles.filter((role) => roles.includes(role)),
    permissions: permissions.filter((permission) => hasPermission(actor, permission)),
  };
}

async function auditing<T>(action: AuthAction, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthException && error.code === AuthErrorCode.FORBIDDEN) {
      action.note({ type: 'access-denied', success: false, detail: error.message });
    }
    throw error;
  }
}

/** A user with the roles that it is bound to. @throws AuthException 40400 */
export async function userOf(manager: EntityManager, id: number): Promise<AuthUser> {
  const user = await manager.findOne(AuthUser, { where: { id }, relations: { roles: true } });
  if (user === null) {
    throw notFound('user');
  }
  return user;
}

/**
 * To be asked before a user loses `SUPER_ADMIN` or is kept from using it.
 *
 * @throws AuthException 40900 when there is no other enabled one
 */
export async function requireAnotherAdministrator(manager: EntityManager, { id }: AuthUser): Promise<void> {
  const others = await manager
    .createQueryBuilder(AuthUser, 'user')
    .innerJoin('user.roles', 'role', 'role.code = :code', { code: SUPER_ADMIN })
    .where('user.status = :status AND user.id <> :id', { status: AuthUserStatus.ENABLED, id })
    .getCount();
  if (others === 0) {
    throw conflict('The last enabled super administrator stays as they are');
  }
}

export function isActiveAdministrator({ status, roles }: Pick<AuthUser, 'status' | 'roles'>): boolean {
  return status === AuthUserStatus.ENABLED && roles.some(({ code }) => code === SUPER_ADMIN);
}
