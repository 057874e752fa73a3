import {
  type EntityMetadata,
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumn,
  TableForeignKey,
} from 'typeorm';
import { dataSourceOf, isSqlite } from './data-source.js';
import { escapedPath, metadataOf, type OwnTables } from './own-tables.js';

/**
 * Creates the tables of entities, and adds what existing tables lack: columns, indices, unique constraints and foreign
 * keys. It changes and deletes nothing. Names come from the data source of the application, so that a naming strategy,
 * `entityPrefix` and `schema` apply.
 *
 * Add another class with a later timestamp when an entity gets a new column. Types and names are changed by classes of
 * their own.
 *
 * @example
 * ```ts
 * class ApiKeys1796000000000 extends TablesMigration {
 *   override readonly name = 'ApiKeys1796000000000';
 *   protected override readonly tables = { entry: 'my-api-keys/typeorm', entities: [ApiKey] };
 * }
 * ```
 */
export abstract class TablesMigration implements MigrationInterface {
  /** Ends with the timestamp in milliseconds, 13 digits. TypeORM stores it, also if a bundler renames the class. */
  abstract readonly name: string;
  protected abstract readonly tables: OwnTables;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const metadata of metadataOf(dataSourceOf(queryRunner.manager), this.tables)) {
      const existing = await queryRunner.getTable(metadata.tablePath);
      await (existing === undefined
        ? create(queryRunner, metadata)
        : extend(queryRunner, metadata, existing));
    }
  }

  /** Drops the tables if they are empty. @throws Error when they have rows */
  async down(queryRunner: QueryRunner): Promise<void> {
    const dataSource = dataSourceOf(queryRunner.manager);
    const tables = metadataOf(dataSource, this.tables).reverse();
    const present: EntityMetadata[] = [];
    for (const metadata of tables) {
      if (await queryRunner.hasTable(metadata.tablePath)) {
        const rows = (await queryRunner.query(
          `SELECT 1 FROM ${escapedPath(dataSource, metadata)} LIMIT 1`,
        )) as object[];
        if (rows.length > 0) {
          throw new Error(
            `${this.name} is not reverted: the table ${metadata.tablePath} has rows, and would be dropped. ` +
              'Delete the rows first if nobody needs them.',
          );
        }
        present.push(metadata);
      }
    }
    for (const metadata of present) {
      await queryRunner.dropTable(metadata.tablePath);
    }
  }
}

function described(queryRunner: QueryRunner, metadata: EntityMetadata): Table {
  const { driver } = dataSourceOf(queryRunner.manager);
  const table = Table.create(metadata, driver);
  table.foreignKeys = metadata.foreignKeys.map((key) => TableForeignKey.create(key, driver));
  return table;
}

async function create(queryRunner: QueryRunner, metadata: EntityMetadata): Promise<void> {
  await queryRunner.createTable(described(queryRunner, metadata), false, true, true);
}

async function extend(queryRunner: QueryRunner, metadata: EntityMetadata, existing: Table): Promise<void> {
  const wanted = described(queryRunner, metadata);
  const columns = missing(wanted.columns, existing.columns);
  if (columns.length > 0) {
    await addColumns(queryRunner, metadata, columns);
  }
  // With the new columns.
  const table = (await queryRunner.getTable(metadata.tablePath)) ?? existing;
  const indices = missing(wanted.indices, table.indices);
  const uniques = missing(wanted.uniques, table.uniques);
  const foreignKeys = missing(wanted.foreignKeys, table.foreignKeys);
  if (indices.length > 0) {
    await queryRunner.createIndices(table, indices);
  }
  if (uniques.length + foreignKeys.length > 0) {
    await refuseWithForeignKeys(queryRunner, metadata);
  }
  if (uniques.length > 0) {
    await queryRunner.createUniqueConstraints(table, uniques);
  }
  if (foreignKeys.length > 0) {
    await queryRunner.createForeignKeys(table, foreignKeys);
  }
}

function missing<Named extends { name?: string }>(
  wanted: readonly Named[],
  existing: readonly Named[],
): Named[] {
  return wanted.filter(({ name }) => !existing.some((one) => one.name === name));
}

async function addColumns(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  columns: TableColumn[],
): Promise<void> {
  const dataSource = dataSourceOf(queryRunner.manager);
  if (!isSqlite(dataSource)) {
    await queryRunner.addColumns(metadata.tablePath, columns);
    return;
  }
  // TypeORM would copy the rows to a new table and drop the old one: see refuseWithForeignKeys().
  for (const column of columns) {
    const type = dataSource.driver.createFullType(column);
    const constraint =
      (column.isNullable ? '' : ' NOT NULL') +
      (column.default === undefined ? '' : ` DEFAULT (${String(column.default)})`);
    await queryRunner.query(
      `ALTER TABLE ${escapedPath(dataSource, metadata)} ADD COLUMN ` +
        `${dataSource.driver.escape(column.name)} ${type}${constraint}`,
    );
  }
}

/**
 * To add a constraint on SQLite, TypeORM copies the rows to a new table and drops the old one. While foreign keys are
 * enforced, that deletes the rows of other tables that refer to it (`ON DELETE CASCADE`). TypeORM switches them off
 * before its transactions, but not with `migrationsTransactionMode: 'none'`.
 */
async function refuseWithForeignKeys(queryRunner: QueryRunner, { tablePath }: EntityMetadata): Promise<void> {
  if (isSqlite(dataSourceOf(queryRunner.manager))) {
    const [pragma] = (await queryRunner.query('PRAGMA foreign_keys')) as { foreign_keys: number }[];
    if (pragma?.foreign_keys === 1) {
      throw new Error(
        `The constraints of ${tablePath} cannot be added while SQLite enforces foreign keys. Run the migration with ` +
          "migrationsTransactionMode 'all' or 'each'.",
      );
    }
  }
}
