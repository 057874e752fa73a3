import {
  type DataSource,
  type DeepPartial,
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  In,
  type ObjectLiteral,
} from 'typeorm';
import { dataSourceOf, isSqlite, readFromPrimary } from './data-source.js';
import { serializedWrite } from './serialized-writes.js';

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

/**
 * Deletes a batch of old rows, outside of the current change. Several instances may do this at once.
 *
 * @param where which rows
 * @param size how many at most
 * @returns how many; 0 when none is left
 * @example
 * await deleteBatch(dataSource, ApiKey, { expiresAt: LessThan(Date.now()) }, 1000);
 */
export async function deleteBatch<Row extends { id: string | number }>(
  dataSource: DataSource,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
  size: number,
): Promise<number> {
  const rows = await readFromPrimary(dataSource, (manager) =>
    manager.find(entity, {
      select: { id: true } as never,
      where,
      order: { id: 'ASC' } as never,
      take: size,
    }),
  );
  if (rows.length > 0) {
    const which = { id: In(rows.map(({ id }) => id)) } as unknown as FindOptionsWhere<Row>;
    await serializedWrite(dataSource, () => dataSource.manager.delete(entity, which));
  }
  return rows.length;
}
