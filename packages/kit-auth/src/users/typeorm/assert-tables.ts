import type { DataSource, EntityMetadata } from 'typeorm';
import { describeError } from '../../errors/describe-error.js';
import { IllegalStateException } from '../../errors/illegal-state.exception.js';
import { escapedPath, metadataOf, type OwnTables } from './own-tables.js';

/**
 * Checks that the tables of entities exist with all their columns. Costs one statement per table.
 *
 * @throws IllegalStateException which names what is missing, and what to do
 * @example
 * await assertTables(dataSource, { entry: 'my-api-keys/typeorm', entities: [ApiKey] });
 */
export async function assertTables(dataSource: DataSource, tables: OwnTables): Promise<void> {
  const problems: string[] = [];
  for (const metadata of metadataOf(dataSource, tables)) {
    const columns = metadata.columns.map(({ databaseName }) => dataSource.driver.escape(databaseName));
    const statement = `SELECT ${columns.join(', ')} FROM ${escapedPath(dataSource, metadata)} WHERE 1 = 0`;
    await dataSource.query(statement).catch(async (error: unknown) => {
      problems.push(await problemOf(dataSource, metadata, error));
    });
  }
  if (problems.length > 0) {
    throw new IllegalStateException(
      `The database is not ready: ${problems.join('; ')}. Add kitAuthMigrations of ${tables.entry} to the migrations ` +
        'of the data source, and run them (migrationsRun: true, dataSource.runMigrations() or the TypeORM CLI). In ' +
        'development, synchronize: true also creates tables.',
    );
  }
}

async function problemOf(dataSource: DataSource, metadata: EntityMetadata, error: unknown): Promise<string> {
  const { tablePath } = metadata;
  const queryRunner = dataSource.createQueryRunner();
  try {
    const table = await queryRunner.getTable(tablePath);
    if (table === undefined) {
      return `the table ${tablePath} is missing`;
    }
    const missing = metadata.columns
      .map(({ databaseName }) => databaseName)
      .filter((name) => !table.columns.some((column) => column.name === name));
    if (missing.length > 0) {
      return `the table ${tablePath} lacks the columns ${missing.join(', ')}`;
    }
  } finally {
    await queryRunner.release();
  }
  return `the table ${tablePath} cannot be read (${describeError(error)})`;
}
