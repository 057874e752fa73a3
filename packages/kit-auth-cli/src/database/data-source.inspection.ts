import { existsSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { withinDeadline } from 'kit-auth/tools';
import {
  assertSafeConnections,
  assertTables,
  isSqlite,
  type OwnTables,
  tablesUsedIn,
} from 'kit-auth/typeorm';
import { migrationsOf, type TableState, tableStateOf } from './table-state.js';

export type { OwnTables } from 'kit-auth/typeorm';
export type { DataSource } from 'typeorm';

/** The default user store. */
const USERS = 'kit-auth/typeorm';
const CONNECTION_MS = 10_000;

/** A database that the application or its migrations will create. */
export class NoDatabaseFile extends Error {
  override readonly name = 'NoDatabaseFile';
}

/** Replaces methods of `DataSource` that change a database, while an application is inspected. */
const CHANGES = {
  synchronize: async () => undefined,
  runMigrations: async () => [],
  dropDatabase: async () => undefined,
} satisfies Partial<Record<keyof DataSource, unknown>>;

/**
 * Connects the data sources of an application without changing their databases: `synchronize`, `migrationsRun` and
 * `dropSchema` have no effect, and SQLite creates no file. A data source that cannot connect still has its entities
 * and migrations, so that the application can be loaded.
 *
 * @example
 * ```ts
 * const inspection = DataSourceInspection.begin();
 * try {
 *   await loadApplication();
 * } finally {
 *   inspection.end();
 * }
 * ```
 */
export class DataSourceInspection {
  /** Why a data source has no connection, or none that is safe. */
  private readonly failures = new Map<DataSource, unknown>();
  private readonly connected = new Set<DataSource>();
  private readonly original: PropertyDescriptorMap;

  private constructor(prototype: DataSource) {
    const all = Object.getOwnPropertyDescriptors(prototype) as Record<string, PropertyDescriptor>;
    const names = ['initialize', ...Object.keys(CHANGES)];
    this.original = Object.fromEntries(names.map((name) => [name, all[name] as PropertyDescriptor]));
  }

  static begin(): DataSourceInspection {
    const inspection = new DataSourceInspection(DataSource.prototype);
    const connect = inspection.original['initialize']?.value as DataSource['initialize'];
    Object.assign(DataSource.prototype, CHANGES, {
      async initialize(this: DataSource) {
        await inspection.initialize(this, () => connect.call(this));
        return this;
      },
    });
    return inspection;
  }

  /** Restores `DataSource`. */
  end(): void {
    Object.defineProperties(DataSource.prototype, this.original);
  }

  /** Closes no connection, but notes which data sources with tables of kit-auth refuse theirs: SQL could be injected. */
  async checkConnections(): Promise<void> {
    for (const dataSource of [...this.connected].filter((one) => this.tablesOf(one).length > 0)) {
      await assertSafeConnections(dataSource).catch((error: unknown) => {
        this.connected.delete(dataSource);
        this.failures.set(dataSource, error);
      });
    }
  }

  /** The data sources that tried to connect. */
  dataSources(): DataSource[] {
    return [...this.connected, ...this.failures.keys()];
  }

  /** The data source with tables of kit-auth. The packages use the default one. */
  withTables(): DataSource | undefined {
    return this.dataSources().find((dataSource) => this.tablesOf(dataSource).length > 0);
  }

  /** Whether a data source has no connection because its database, an SQLite file, does not exist yet. */
  isCreatedLater(dataSource: DataSource): boolean {
    return this.failures.get(dataSource) instanceof NoDatabaseFile;
  }

  /** Why a data source has no connection, or none that is safe. Undefined when it has one. */
  failureOf(dataSource: DataSource): unknown {
    return this.failures.get(dataSource);
  }

  /** The tables of a data source that the application uses. */
  tablesOf(dataSource: DataSource): OwnTables[] {
    return tablesUsedIn(dataSource);
  }

  /** The entries of `tablesOf()` whose `kitAuthMigrations` the data source does not have. */
  entriesWithoutMigrations(dataSource: DataSource): string[] {
    const [, withoutMigrations] = migrationsOf(dataSource, tablesUsedIn(dataSource));
    return withoutMigrations;
  }

  /** Compares tables with their entities. @param tables tables whose entities the data source contains */
  stateOf(dataSource: DataSource, tables: readonly OwnTables[]): Promise<TableState> {
    return tableStateOf(dataSource, tables);
  }

  /** Whether the users of the default user store can be read. `none`: their tables do not exist yet. */
  async users(): Promise<'readable' | 'none' | 'unreadable' | 'elsewhere'> {
    const usersIn = (source: DataSource) => tablesUsedIn(source).find(({ entry }) => entry === USERS);
    const dataSource = this.dataSources().find(usersIn);
    const tables = dataSource && usersIn(dataSource);
    if (dataSource === undefined || tables === undefined) {
      return 'elsewhere';
    }
    const failure = this.failures.get(dataSource);
    if (failure !== undefined) {
      return failure instanceof NoDatabaseFile ? 'none' : 'unreadable';
    }
    try {
      await assertTables(dataSource, tables);
      return 'readable';
    } catch {
      const state = await tableStateOf(dataSource, [tables]).catch(() => undefined);
      return state !== undefined && state.missing.length > 0 ? 'none' : 'unreadable';
    }
  }

  private async initialize(dataSource: DataSource, connect: () => Promise<DataSource>): Promise<void> {
    try {
      requireFile(dataSource);
      await withinDeadline(CONNECTION_MS, connect(), 'the database');
      this.connected.add(dataSource);
    } catch (error) {
      // Rejects if entities are invalid, which may be why connect() has failed.
      await (dataSource as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
      this.failures.set(dataSource, error);
    }
  }
}

/** SQLite would create the file. */
function requireFile(dataSource: DataSource): void {
  const { database } = dataSource.options;
  const isFile = typeof database === 'string' && !/^$|^:memory:|^file:/.test(database);
  if (isSqlite(dataSource) && isFile && !existsSync(database)) {
    throw new NoDatabaseFile(`There is no file ${database} yet`);
  }
}
