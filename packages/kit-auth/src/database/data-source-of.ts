import type { DataSource, EntityManager } from 'typeorm';

/**
 * The data source of an entity manager, in every supported version of TypeORM: 0.3 has `connection`, and 1 deprecates it
 * for `dataSource`.
 *
 * @example
 * const { type } = dataSourceOf(manager).options;
 */
export function dataSourceOf(manager: EntityManager): DataSource {
  const { dataSource } = manager as Partial<Pick<EntityManager, 'dataSource'>>;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only name in TypeORM 0.3
  return dataSource ?? manager.connection;
}
