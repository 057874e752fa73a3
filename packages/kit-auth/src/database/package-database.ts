import type { DataSource, EntityManager } from 'typeorm';
import { Deadline } from '../errors/promises.js';
import { IllegalStateException } from '../errors/auth.exception.js';
import { attempting } from '../ports/failure.js';
import { assertTables } from './assert-tables.js';
import { currentTransaction } from './current-change.js';
import { DatabaseTransactions } from './database-transactions.js';
import { isSqlite } from './is-sqlite.js';
import { joinedTransaction } from './joined-transaction.js';
import type { OwnTables } from './own-tables.js';
import { useTables } from './used-tables.js';

const TIMEOUT_MS = 900;
/** In a transaction, which limits its waits for locks itself. */
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
        `${this.tables.entry} needs a data source of TypeORM for ${this.what}: import TypeOrmModule.forRoot().`,
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
   * On SQLite there is no transaction, but no other write comes in between.
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

  /** The transaction that work joins. Undefined outside of transactions. */
  joined(transaction?: unknown): EntityManager | undefined {
    return joinedTransaction(this.dataSource, transaction) ?? currentTransaction(this.dataSource);
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

async function rethrow(error: unknown): Promise<never> {
  throw error;
}
