import type { DataSource, EntityManager } from 'typeorm';
import type { AccountChanges } from './account-changes.js';
import { writeInTurn } from './current-change.js';
import { isSqlite } from './is-sqlite.js';

type Isolation = 'READ COMMITTED';

/** Reads and writes in one data source. Inside a change they are part of its transaction. */
export class DatabaseTransactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes?: AccountChanges,
  ) {}

  /** Locks the rows that a transaction reads. Undefined on SQLite, which has no row locks. */
  get lock(): { lock: { mode: 'pessimistic_write' } } | undefined {
    return isSqlite(this.dataSource) ? undefined : { lock: { mode: 'pessimistic_write' } };
  }

  get manager(): EntityManager {
    return this.changes?.transaction() ?? this.dataSource.manager;
  }

  /** Runs a read. With replication, the primary answers: a replica may not have the last write yet. */
  async read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { dataSource, manager } = this;
    const { replication } = dataSource.options as { replication?: unknown };
    if (replication === undefined || manager !== dataSource.manager) {
      return work(manager);
    }
    const primary = dataSource.createQueryRunner('master');
    try {
      return await work(primary.manager);
    } finally {
      await primary.release();
    }
  }

  /** Runs one write, or several that need no transaction of their own. */
  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return writeInTurn(this.dataSource, () => work(this.manager));
  }

  /** Runs writes in a transaction. On SQLite they have none of their own, but no other write comes in between. */
  run<T>(work: (manager: EntityManager) => Promise<T>, isolation?: Isolation): Promise<T> {
    const { dataSource } = this;
    if (this.lock === undefined || this.changes?.transaction() !== undefined) {
      return this.write(work);
    }
    return isolation === undefined ? dataSource.transaction(work) : dataSource.transaction(isolation, work);
  }
}
