import {
  type DataSource,
  type DeepPartial,
  EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  In,
  type ObjectLiteral,
} from 'typeorm';
import { Deadline } from '../../errors/deadline.js';
import { IllegalStateException } from '../../errors/auth.exception.js';
import { attempting } from '../../ports/port.js';
import { currentTransaction, lookUp, serializedWrite, withConnection } from './connections.js';
import { dataSourceOf, isSqlite, readFromPrimary } from './data-source.js';
import { assertTables, type OwnTables, useTables } from './own-tables.js';

const TIMEOUT_MS = 900;
/** Work in a transaction, which limits its waits for locks itself. */
const IN_TRANSACTION_MS = 5000;

type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * The tables of a package, in the application's data source. Outside of a transaction, methods reject with 50300 if the
 * database fails or does not answer within 900 ms. On SQLite, writes wait for other writes of the process first, and
 * reject after three seconds. Inside a transaction, errors are passed on unchanged, so that the transaction can be
 * retried after a deadlock.
 *
 * The parameter `transaction` is `AccountChange.transaction`. Without it, methods join the current change of the default
 * user store. A transaction of another data source is ignored.
 *
 * @example
 * ```ts
 * private readonly database: PackageDatabase;
 *
 * constructor(@Optional() @InjectDataSource() dataSource: DataSource | undefined) {
 *   this.database = new PackageDatabase('API keys', { entry: 'my-api-keys/typeorm', entities: [ApiKey] }, dataSource);
 * }
 *
 * onApplicationBootstrap(): Promise<void> {
 *   return this.database.open();
 * }
 *
 * find(id: string): Promise<ApiKey | null> {
 *   return this.database.read((manager) => manager.findOneBy(ApiKey, { id }));
 * }
 * ```
 */
export class PackageDatabase {
  private readonly alone: Deadline;
  private readonly inTransaction: Deadline;

  /** @param what the tables contain, in the plural. Messages name it */
  constructor(
    private readonly what: string,
    private readonly tables: OwnTables,
    private readonly configured: DataSource | undefined,
  ) {
    this.alone = new Deadline(this.name, TIMEOUT_MS);
    this.inTransaction = new Deadline(this.name, IN_TRANSACTION_MS);
    if (configured !== undefined) {
      useTables(configured, tables);
    }
  }

  /**
   * Checks the tables. Call it from `onApplicationBootstrap`.
   *
   * @throws IllegalStateException when the data source, a table or a column is missing
   */
  async open(): Promise<void> {
    await assertTables(this.dataSource, this.tables);
  }

  /** @throws IllegalStateException when there is none */
  get dataSource(): DataSource {
    if (this.configured === undefined) {
      throw new IllegalStateException(
        `${this.tables.entry} needs a data source of TypeORM for ${this.what}: import TypeOrmModule.forRoot(), without a name.`,
      );
    }
    return this.configured;
  }

  /** False on SQLite. */
  get hasRowLocks(): boolean {
    return !isSqlite(this.dataSource);
  }

  /**
   * Runs a read. With replication, the primary answers. Outside of transactions, as many reads run at once as the pool
   * has connections; the others wait, and the networks of clients take turns.
   */
  read<T>(work: Work<T>, transaction?: unknown): Promise<T> {
    return this.within(work, transaction, (transactions) => transactions.read(work));
  }

  /** Runs one write, or several that need no transaction of their own. */
  write<T>(work: Work<T>, transaction?: unknown): Promise<T> {
    return this.within(work, transaction, (transactions) => transactions.write(work));
  }

  /**
   * Runs work in one transaction, with the isolation READ COMMITTED: stricter levels lock gaps, into which others insert.
   * SQLite has no transaction here, but no other write comes in between.
   *
   * @param explain throws an `AuthException` for an expected failure, such as a violation of a unique index, and other
   * errors again. It runs after the work has failed
   */
  run<T>(work: Work<T>, transaction?: unknown, explain?: (error: unknown) => Promise<never>): Promise<T> {
    return this.within(
      work,
      transaction,
      (transactions) => transactions.run(work, 'READ COMMITTED'),
      explain,
    );
  }

  /** The transaction that work joins. Undefined outside of transactions of this data source. */
  joined(transaction?: unknown): EntityManager | undefined {
    const { dataSource } = this;
    return transaction instanceof EntityManager && dataSourceOf(transaction) === dataSource
      ? transaction
      : currentTransaction(dataSource);
  }

  private async within<T>(
    work: Work<T>,
    transaction: unknown,
    alone: (transactions: DatabaseTransactions) => Promise<T>,
    explain = rethrow,
  ): Promise<T> {
    const { dataSource } = this;
    const joined = this.joined(transaction);
    return joined === undefined
      ? attempting(this.name, () => alone(new DatabaseTransactions(dataSource, this.alone)).catch(explain))
      : this.inTransaction.within(() => work(joined)).catch(explain);
  }

  private get name(): string {
    return `the database of ${this.what}`;
  }
}

/**
 * Reads and writes in one data source. Inside a change they are part of its transaction. Errors are passed on unchanged:
 * `PackageDatabase` turns them into 50300.
 */
export class DatabaseTransactions {
  /** @param deadline of each call. On SQLite, the wait for other writes of the process does not count */
  constructor(
    readonly dataSource: DataSource,
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

  /** Runs one write, or several that need no transaction of their own. With replication, the primary answers its reads. */
  write<T>(work: Work<T>): Promise<T> {
    const { dataSource } = this;
    return new Promise((resolve, reject) => {
      const write = async () => {
        let written: Promise<T> | undefined;
        const change = currentTransaction(dataSource);
        this.within(
          () => (written = change === undefined ? readFromPrimary(dataSource, work) : work(change)),
        ).then(resolve, reject);
        await written; // The next write waits for this one, also when the caller no longer does.
      };
      serializedWrite(dataSource, write).catch(reject);
    });
  }

  /** Runs writes in a transaction. On SQLite they have none of their own, but no other write comes in between. */
  run<T>(work: Work<T>, isolation?: 'READ COMMITTED'): Promise<T> {
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

async function rethrow(error: unknown): Promise<never> {
  throw error;
}

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
    // Again with the condition: a row may have changed in the meantime.
    const which = { ...where, id: In(rows.map(({ id }) => id)) } as FindOptionsWhere<Row>;
    await serializedWrite(dataSource, () => dataSource.manager.delete(entity, which));
  }
  return rows.length;
}
