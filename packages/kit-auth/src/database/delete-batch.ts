import { type DataSource, type EntityTarget, type FindOptionsWhere, In } from 'typeorm';
import { writeInTurn } from './current-change.js';
import { readFromPrimary } from './database-transactions.js';

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
    await writeInTurn(dataSource, () => dataSource.manager.delete(entity, which));
  }
  return rows.length;
}
