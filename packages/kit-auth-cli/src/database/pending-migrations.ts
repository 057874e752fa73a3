import type { DataSource, MigrationInterface } from 'typeorm';
import { executedMigrations } from './table-state.js';

/**
 * The names of the migrations that have not run, in the order in which they will. Changes nothing.
 *
 * @throws the error of the database
 */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const executed = dataSource.isInitialized ? await executedMigrations(dataSource) : new Set();
  return dataSource.migrations
    .map(nameOf)
    .filter((name) => !executed.has(name))
    .sort((a, b) => timestampOf(a) - timestampOf(b));
}

/** Overrides the options `synchronize`, `migrationsRun` and `dropSchema`. */
export async function connect(dataSource: DataSource): Promise<void> {
  if (!dataSource.isInitialized) {
    dataSource.setOptions({ synchronize: false, migrationsRun: false, dropSchema: false });
    await dataSource.initialize();
  }
}

/**
 * Runs the pending migrations in the transactions that the data source asks for (`migrationsTransactionMode`).
 *
 * @param begun called with the name of each one before it runs
 */
export async function runMigrations(dataSource: DataSource, begun: (name: string) => void): Promise<void> {
  for (const migration of dataSource.migrations) {
    const up = migration.up.bind(migration);
    migration.up = (queryRunner) => {
      begun(nameOf(migration));
      return up(queryRunner);
    };
  }
  const { migrationsTransactionMode: transaction = 'all' } = dataSource.options;
  await dataSource.runMigrations({ transaction });
}

/** The name that TypeORM stores. */
function nameOf(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

/** TypeORM requires that names end with it. */
function timestampOf(name: string): number {
  return Number(name.slice(-13));
}
