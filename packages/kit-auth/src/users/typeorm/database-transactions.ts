import type { DataSource, EntityManager } from 'typeorm';
import { currentTransaction, writeInTurn } from './current-change.js';
import { isSqlite } from './is-sqlite.js';

type Isolation = 'READ COMMITTED';

/** Reads and writes in one data source. Inside a change they are part of its transaction. */
export class DatabaseTransactions {
  constructor(private readonly dataSource: DataSource) {}

  /** Locks the rows that a transaction reads. Undefined on SQLite, which has no row locks. */
  get lock(): { lock: { mode: 'pessimistic_write' } } | undefined {
    return isSqlite(this.dataSource) ? undefined : { lock: { mode: 'pessimistic_write' } };
  }

  /** Runs a read. With replication, the primary answers: a replica may not have the last write yet. */
  async read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const change = currentTransaction(this.dataSource);
    return change === undefined ? readFromPrimary(this.dataSource, work) : work(change);
  }

  /** Runs one write, or several that need no transaction of their own. */
  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { dataSource } = this;
    return writeInTurn(dataSource, () => work(currentTransaction(dataSource) ?? dataSource.manager));
  }

  /** Runs writes in a transaction. On SQLite they have none of their own, but no other write comes in between. */
  run<T>(work: (manager: EntityManager) => Promise<T>, isolation?: Isolation): Promise<T> {
    const { dataSource } = this;
    if (isSqlite(dataSource) || currentTransaction(dataSource) !== undefined) {
      return this.write(work);
    }
    return isolation === undefined ? dataSource.transaction(work) : dataSource.transaction(isolation, work);
  }
}

/**
 * Runs a read outside of the current change, for example to find out why a write of the change has failed. With
 * replication, the primary answers: a replica may not have the last write yet.
 *
 * @example
 * const exists = await readFromPrimary(dataSource, (manager) => manager.existsBy(ApiKey, { id }));
 */
export async function readFromPrimary<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const { replication } = dataSource.options as { replication?: unknown };
  if (replication === undefined) {
    return work(dataSource.manager);
  }
  const primary = dataSource.createQueryRunner('master');
  try {
    return await work(primary.manager);
  } finally {
    await primary.release();
  }
}
