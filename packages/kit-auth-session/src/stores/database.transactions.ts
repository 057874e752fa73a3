import type { AccountChanges } from 'kit-auth/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

type Isolation = 'READ COMMITTED';

/** Transactions of one data source, as far as its database has them. */
export class DatabaseTransactions {
  /** How a row is locked that a transaction reads; undefined on SQLite, which has no row locks. */
  readonly lock: { lock: { mode: 'pessimistic_write' } } | undefined;
  private lastTurn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly changes?: AccountChanges,
  ) {
    const isSqlite = /sqlite|sqljs/.test(dataSource.options.type);
    this.lock = isSqlite ? undefined : { lock: { mode: 'pessimistic_write' } };
  }

  /** Of the change that asks, where there is one: what it does ends with it. */
  get manager(): EntityManager {
    return this.changes?.transaction() ?? this.dataSource.manager;
  }

  /** On SQLite, where TypeORM has one connection that cannot hold two transactions: one piece of work after the other. */
  run<T>(work: (manager: EntityManager) => Promise<T>, isolation?: Isolation): Promise<T> {
    const { dataSource } = this;
    const joined = this.changes?.transaction();
    if (joined !== undefined) {
      return work(joined);
    }
    if (this.lock !== undefined) {
      return isolation === undefined ? dataSource.transaction(work) : dataSource.transaction(isolation, work);
    }
    const turn = this.lastTurn.then(() => work(dataSource.manager));
    this.lastTurn = turn.catch(() => undefined);
    return turn;
  }
}
