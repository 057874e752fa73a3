import type { EntityManager, FindOptionsWhere } from 'typeorm';
import { SUPER_ADMIN } from '../super-admin.js';
import { AuthRole } from './auth-role.entity.js';

/**
 * Lets changes by administrators take place one at a time, across all instances. What a change checks still holds at its
 * commit.
 *
 * @example
 * await this.lock.take(manager); // the first statement of the transaction
 * await requireAnotherAdministrator(manager, user);
 */
export class AdministrationLock {
  private id: number | undefined;

  /**
   * Waits for the lock, which the transaction holds until it ends. It must be the first write of the transaction: to the
   * row of `SUPER_ADMIN`. The row is found by id, because MariaDB also locks the index by which it finds a row, and the
   * insert of a role with a neighboring code waits for that.
   */
  async take(manager: EntityManager): Promise<void> {
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
