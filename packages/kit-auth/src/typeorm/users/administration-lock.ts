import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { conflict } from '../../errors/auth.exception.js';
import { SUPER_ADMIN } from '../../users/stored-users.js';
import { AuthRole } from './auth-role.entity.js';
import { AuthUser, AuthUserStatus } from './auth-user.entity.js';

/**
 * Runs changes by administrators one at a time, across all instances. The conditions that a change checks still hold at
 * its commit, for example that there is another administrator.
 */
export class AdministrationLock {
  private readonly holders = new WeakSet<EntityManager>();
  private id: number | undefined;

  /**
   * Waits for the lock, which the transaction holds until it ends. It must be the first write of the transaction: to the
   * row of `SUPER_ADMIN`. The row is found by id, because MariaDB also locks the index by which it finds a row, and the
   * insert of a role with a neighboring code waits for that. Does nothing when the transaction holds the lock already.
   */
  async take(manager: EntityManager): Promise<void> {
    if (!this.holders.has(manager)) {
      await this.lockRow(manager);
      this.holders.add(manager);
    }
  }

  private async lockRow(manager: EntityManager): Promise<void> {
    const isLocked = async (row: FindOptionsWhere<AuthRole>) =>
      ((await manager.update(AuthRole, row, { name: () => 'name' })).affected ?? 0) > 0;
    if (this.id !== undefined && (await isLocked({ id: this.id }))) {
      return;
    }
    const row = { code: SUPER_ADMIN };
    await isLocked(row);
    this.id = (await manager.findOne(AuthRole, { select: { id: true }, where: row }))?.id;
  }
}

/** Whether a user is an enabled super administrator. */
export function isActiveAdministrator({ status, roles }: Pick<AuthUser, 'status' | 'roles'>): boolean {
  return status === AuthUserStatus.ENABLED && roles.some(({ code }) => code === SUPER_ADMIN);
}

/**
 * Call this before an active administrator is deleted, disabled or demoted, in a transaction that holds the
 * `AdministrationLock`.
 *
 * @throws AuthException 40900 when there is no other enabled super administrator
 */
export async function requireAnotherAdministrator(
  manager: EntityManager,
  { id }: Pick<AuthUser, 'id'>,
): Promise<void> {
  const others = await manager
    .createQueryBuilder(AuthUser, 'user')
    .innerJoin('user.roles', 'role', 'role.code = :code', { code: SUPER_ADMIN })
    .where('user.status = :status AND user.id <> :id', { status: AuthUserStatus.ENABLED, id })
    .getExists();
  if (!others) {
    throw conflict('The last enabled super administrator cannot be deleted, disabled or demoted');
  }
}
