import type { DataSource, EntityManager } from 'typeorm';
import type { Deadline } from '../errors/promises.js';
import { currentTransaction, writeInTurn } from './current-change.js';
import { isSqlite } from './is-sqlite.js';
import { lookUp, withConnection } from './look-up.js';

type Isolation = 'READ COMMITTED';

/** Reads and writes in one data source. Inside a change they are part of its transaction. */
export class DatabaseTransactions {
  /** @param deadline of each call. On SQLite, the wait for other writes of the process does not count */
  constructor(
    private readonly dataSource: DataSource,
    private readonly deadline?: Deadline,
  ) {}

  /** Locks the rows that a transaction reads. Undefined on SQLite, which has no row locks. */
  get lock(): { lock: { mode: 'pessimistic_write' } } | undefined {
    return isSqlite(this.dataSource) ? undefined : { lock: { mode: 'pessimistic_write' } };
  }

  /**
   * Runs a read. With replication, the primary answers: a replica may not have the last write yet. Outside of changes, as
   * many reads run at once as the pool has connections.
   */
  async read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const change = currentTransaction(this.dataSource);
    return this.within(() =>
      change === undefined
        ? lookUp(this.dataSource, () => readFromPrimary(this.dataSource, work))
        : work(change),
    );
  }

  /** Runs one write, or several that need no transaction of their own. */
  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { dataSource } = this;
    return new Promise((resolve, reject) => {
      const write = async () => {
        let written: Promise<T> | undefined;
        this.within(() => (written = work(currentTransaction(dataSource) ?? dataSource.manager))).then(
          resolve,
          reject,
        );
        await written; // The turn ends with the work, also when the caller no longer waits.
      };
      writeInTurn(dataSource, write).catch(reject);
    });
  }

  /** Runs writes in a transaction. On SQLite they have none of their own, but no other write comes in between. */
  run<T>(work: (manager: EntityManager) => Promise<T>, isolation?: Isolation): Promise<T> {
    const { dataSource } = this;
    if (isSqlite(dataSource) || currentTransaction(dataSource) !== undefined) {
      return this.write(work);
    }
    const inTransaction = (manager: EntityManager) => withConnection(() => work(manager));
    return this.within(() =>
      isolation === undefined
        ? dataSource.transaction(inTransaction)
        : dataSource.transaction(isolation, inTransaction),
    );
  }

  private within<T>(call: () => Promise<T>): Promise<T> {
    return this.deadline === undefined ? call() : this.deadline.within(call);
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
