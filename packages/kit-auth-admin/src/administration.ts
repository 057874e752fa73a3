import { Injectable } from '@nestjs/common';
import {
  type AccountChange,
  AccountChanges,
  AuthRole,
  AuthUser,
  AuthUserStatus,
  type LoginUser,
  SUPER_ADMIN,
} from 'kit-auth';
import type { EntityManager } from 'typeorm';
import { conflict, notFound } from './input/refusals.js';
import { Reach } from './reach.js';

export interface AdministrativeChange extends AccountChange {
  /** Who makes it, as they are now. */
  actor: LoginUser;
}

/** Changes by administrators, one after the other over all instances: what is checked still holds when it is written. */
@Injectable()
export class Administration {
  constructor(
    private readonly changes: AccountChanges,
    private readonly reach: Reach,
  ) {}

  /**
   * Runs work once it has the lock: the first write of each change is to the same row.
   *
   * @param permission that the actor still has to have then
   */
  run<T>(permission: string, work: (change: AdministrativeChange) => Promise<T>): Promise<T> {
    return this.changes.run(async (change) => {
      await change.manager.update(AuthRole, { code: SUPER_ADMIN }, { name: () => 'name' });
      return work({ ...change, actor: await this.reach.actor(change.manager, permission) });
    });
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
