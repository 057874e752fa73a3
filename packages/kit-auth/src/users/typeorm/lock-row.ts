import type { DeepPartial, EntityManager, ObjectLiteral } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { isSqlite } from './is-sqlite.js';

/**
 * Makes transactions that lock the same row run one after the other, for example all that change the keys of one user.
 * The row is written first and stays in the table. It stands for nothing, so choose values that no query of the table
 * finds. Does nothing on SQLite, which has no row locks.
 *
 * @example
 * await this.database.run(async (manager) => {
 *   await lockRow(manager, ApiKey, { id: `lock.${ownerOf(userId)}`, userId: '', endedAt: 0 });
 *   await this.replaceKeys(manager, userId);
 * });
 */
export async function lockRow<Row extends ObjectLiteral & { id: string }>(
  manager: EntityManager,
  entity: new () => Row,
  row: DeepPartial<Row> & { id: string },
): Promise<void> {
  if (!isSqlite(dataSourceOf(manager))) {
    await manager.upsert(entity, row, ['id']);
  }
}
