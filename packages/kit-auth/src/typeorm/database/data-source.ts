import type { DataSource, EntityManager, ValueTransformer } from 'typeorm';

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

/**
 * Whether the database is SQLite: it has no row locks, and TypeORM has one connection to it, which cannot hold two
 * transactions.
 */
export function isSqlite({ options }: DataSource): boolean {
  return ['better-sqlite3', 'sqlite', 'sqljs'].includes(options.type);
}

/**
 * Runs a read outside of the current change, for example to find out why a write of the change has failed. With
 * replication, the primary answers: a replica may not have the last write yet. The read keeps a connection until `work`
 * is done, so `work` must not wait for anything else.
 *
 * @example
 * const exists = await readFromPrimary(dataSource, (manager) => manager.existsBy(ApiKey, { id }));
 */
export async function readFromPrimary<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const { replication } = dataSource.options as { replication?: { defaultMode?: string } | null };
  if (!replication || replication.defaultMode === 'master') {
    // eslint-disable-next-line kit-auth/primary-reads -- There is no replica, or none is asked.
    return work(dataSource.manager);
  }
  const primary = dataSource.createQueryRunner('master');
  try {
    return await work(primary.manager);
  } finally {
    await primary.release();
  }
}

/**
 * Runs a read whose answer may be late, such as a page of a list. With replication, a replica answers. Never decide
 * anything by it, and do not look up what the caller may just have written.
 *
 * @example
 * const rows = await readFromReplica(dataSource, (manager) => manager.find(ApiKey, { take: 20 }));
 */
export function readFromReplica<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  // eslint-disable-next-line kit-auth/primary-reads -- The answer may be late.
  return work(dataSource.manager);
}

/**
 * Stores a `Date` as milliseconds since 1970 in a `bigint` column. All databases store and compare these alike; columns
 * for dates differ in precision and time zone.
 *
 * @example
 * ```ts
 * @Column({ type: 'bigint', nullable: true, transformer: milliseconds })
 * lastLoginAt!: Date | null;
 * ```
 */
export const milliseconds: ValueTransformer = {
  to: (value: unknown) => (value instanceof Date ? value.getTime() : value),
  // Drivers return 64-bit integers as text.
  from: (value: number | string | null) => (value === null ? null : new Date(Number(value))),
};

/**
 * Reads a number from a `bigint` column. Drivers return 64-bit integers as text.
 *
 * @example
 * ```ts
 * @Column({ type: 'bigint', transformer: wholeNumber })
 * expiresAt!: number;
 * ```
 */
export const wholeNumber: ValueTransformer = {
  to: (value: number | null) => value,
  from: (value: number | string | null) => (value === null ? null : Number(value)),
};
