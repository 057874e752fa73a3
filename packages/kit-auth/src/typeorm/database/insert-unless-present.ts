import type { EntityManager, EntityTarget } from 'typeorm';

/** Inserts a row, unless one with the same key exists. Waits for a transaction that is about to insert one. */
export async function insertUnlessPresent(
  manager: EntityManager,
  into: EntityTarget<object>,
  row: object,
): Promise<void> {
  await manager.createQueryBuilder().insert().into(into).values(row).orIgnore().updateEntity(false).execute();
}
