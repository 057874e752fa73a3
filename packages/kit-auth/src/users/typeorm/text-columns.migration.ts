import {
  type DataSource,
  type EntityMetadata,
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumn,
} from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { isSqlite } from './is-sqlite.js';
import { escapedPath, metadataOf, type OwnTables } from './own-tables.js';

/**
 * Changes columns of numbers to the text columns that the entity has now, and keeps their values. (TypeORM's own
 * `changeColumn()` drops the column and adds an empty one, except on SQLite.) Columns that are texts already stay as they
 * are.
 *
 * @example
 * ```ts
 * class ApiKeyUsers1796000000000 extends TextColumnsMigration {
 *   override readonly name = 'ApiKeyUsers1796000000000';
 *   protected override readonly table = { entry: 'my-api-keys/typeorm', entities: [ApiKey] };
 *   protected override readonly properties = ['userId'];
 * }
 * ```
 */
export abstract class TextColumnsMigration implements MigrationInterface {
  /** Ends with the timestamp in milliseconds, 13 digits. */
  abstract readonly name: string;
  /** One entity. */
  protected abstract readonly table: OwnTables;
  /** Properties of the entity. */
  protected abstract readonly properties: readonly string[];

  async up(queryRunner: QueryRunner): Promise<void> {
    const { metadata, columns } = this.wanted(queryRunner);
    await changeTypes(queryRunner, metadata, columns);
  }

  /** Makes the columns numbers again. @throws Error when one contains another text */
  async down(queryRunner: QueryRunner): Promise<void> {
    const { metadata, columns } = this.wanted(queryRunner);
    const dataSource = dataSourceOf(queryRunner.manager);
    for (const { name } of columns) {
      if (await hasOtherText(queryRunner, dataSource, metadata, name)) {
        throw new Error(
          `${this.name} is not reverted: the column ${name} of ${metadata.tablePath} contains texts that are no ` +
            'numbers. Delete these rows first if nobody needs them.',
        );
      }
    }
    const type = dataSource.driver.normalizeType({ type: Number });
    for (const column of columns) {
      column.type = type;
      column.length = '';
    }
    await changeTypes(queryRunner, metadata, columns);
  }

  private wanted(queryRunner: QueryRunner): { metadata: EntityMetadata; columns: TableColumn[] } {
    const dataSource = dataSourceOf(queryRunner.manager);
    const [metadata] = metadataOf(dataSource, this.table) as [EntityMetadata];
    const names = this.properties.map((name) => metadata.findColumnWithPropertyName(name)?.databaseName);
    const { columns } = Table.create(metadata, dataSource.driver);
    return { metadata, columns: columns.filter(({ name }) => names.includes(name)) };
  }
}

async function changeTypes(
  queryRunner: QueryRunner,
  metadata: EntityMetadata,
  columns: readonly TableColumn[],
): Promise<void> {
  const dataSource = dataSourceOf(queryRunner.manager);
  const { driver, options } = dataSource;
  const table = await queryRunner.getTable(metadata.tablePath);
  const changes = columns.flatMap((newColumn) => {
    const oldColumn = table?.findColumnByName(newColumn.name);
    return oldColumn && oldColumn.type !== newColumn.type ? [{ oldColumn, newColumn }] : [];
  });
  if (table === undefined || changes.length === 0) {
    return;
  }
  if (isSqlite(dataSource)) {
    await queryRunner.changeColumns(table, changes);
    return;
  }
  for (const { newColumn } of changes) {
    const [name, type] = [driver.escape(newColumn.name), driver.createFullType(newColumn)];
    const change =
      options.type === 'postgres'
        ? `ALTER COLUMN ${name} TYPE ${type} USING ${name}::${type}`
        : `MODIFY ${name} ${type} ${newColumn.isNullable ? 'NULL' : 'NOT NULL'}`;
    await queryRunner.query(`ALTER TABLE ${escapedPath(dataSource, metadata)} ${change}`);
  }
}

async function hasOtherText(
  queryRunner: QueryRunner,
  dataSource: DataSource,
  metadata: EntityMetadata,
  columnName: string,
): Promise<boolean> {
  const isNoNumber = isSqlite(dataSource)
    ? "GLOB '*[^0-9]*'"
    : `${dataSource.options.type === 'postgres' ? '~' : 'REGEXP'} '[^0-9]'`;
  const rows = (await queryRunner.query(
    `SELECT 1 FROM ${escapedPath(dataSource, metadata)} ` +
      `WHERE ${dataSource.driver.escape(columnName)} ${isNoNumber} LIMIT 1`,
  )) as object[];
  return rows.length > 0;
}
