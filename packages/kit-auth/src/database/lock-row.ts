import type { DeepPartial, EntityManager, ObjectLiteral } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { isSqlite } from './is-sqlite.js';

/**
 * Serializes transactions that lock the same row, for example all changes of a user's keys. The row is written if it does
 * not exist, and stays in the table. Choose values that no other query of the table finds. Does nothing on SQLite, which
 * has no row locks.
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
