import type { DataSource, EntityMetadata } from 'typeorm';
import { describeError } from '../../errors/describe.js';
import { IllegalStateException } from '../../errors/auth.exception.js';
import { assertSafeConnections, refuseUnsafeConnections } from './safe-escaping.js';

/** The entities of a package, with the entry that exports them. Messages name it. */
export interface OwnTables {
  /** The entry, such as `kit-auth/typeorm`. It exports `kitAuthEntities` and `kitAuthMigrations`. */
  readonly entry: string;
  readonly entities: readonly (new () => object)[];
}

/**
 * The tables of the entities and of their many-to-many relations, in an order that foreign keys allow.
 *
 * @throws IllegalStateException when the data source does not contain an entity
 */
export function metadataOf(dataSource: DataSource, own: OwnTables): EntityMetadata[] {
  const missing = missingEntities(dataSource, own);
  if (missing.length > 0) {
    throw new IllegalStateException(
      `The data source does not contain ${missing.join(' and ')}. Add kitAuthEntities of ${own.entry} to its ` +
        'entities, or pass autoLoadEntities: true to TypeOrmModule.forRoot().',
    );
  }
  const tables = own.entities.map((entity) => dataSource.getMetadata(entity));
  const junctions = tables.flatMap(({ manyToManyRelations }) =>
    manyToManyRelations.flatMap(({ isOwning, junctionEntityMetadata }) =>
      isOwning && junctionEntityMetadata ? [junctionEntityMetadata] : [],
    ),
  );
  return [...tables, ...junctions];
}

/** The names of the entities that a data source does not contain. */
export function missingEntities(dataSource: DataSource, { entities }: OwnTables): string[] {
  return entities.filter((entity) => !dataSource.hasMetadata(entity)).map(({ name }) => name);
}

/** The name of a table, escaped for SQL. */
export function escapedPath(dataSource: DataSource, { tablePath }: EntityMetadata): string {
  return tablePath
    .split('.')
    .map((name) => dataSource.driver.escape(name))
    .join('.');
}

const USED = new WeakMap<DataSource, Map<string, OwnTables>>();

/**
 * Notes that the application uses tables, for `kit-auth doctor` and `kit-auth migration:generate`. From now on, the data
 * source refuses unsafe connections.
 */
export function useTables(dataSource: DataSource, tables: OwnTables): void {
  refuseUnsafeConnections(dataSource);
  const used = USED.get(dataSource) ?? new Map<string, OwnTables>();
  USED.set(dataSource, used.set(tables.entry, tables));
}

/** The tables of kit-auth and of packages for it that the application uses, ordered by their entries. */
export function tablesUsedIn(dataSource: DataSource): OwnTables[] {
  const used = [...(USED.get(dataSource)?.values() ?? [])];
  return used.sort((a, b) => (a.entry < b.entry ? -1 : 1));
}

/**
 * Checks that the tables of entities exist with all their columns. Costs one statement per table.
 *
 * @throws IllegalStateException which names what is missing, also of the other packages that use the data source, and
 * what to do. Also if values of statements cannot be escaped safely (MySQL and MariaDB)
 * @example
 * await assertTables(dataSource, { entry: 'my-api-keys/typeorm', entities: [ApiKey] });
 */
export async function assertTables(dataSource: DataSource, tables: OwnTables): Promise<void> {
  await assertSafeConnections(dataSource);
  try {
    await assertOwn(dataSource, tables);
  } catch (error) {
    if (!(error instanceof IllegalStateException)) {
      throw error;
    }
    const others: string[] = [];
    for (const other of tablesUsedIn(dataSource).filter(({ entry }) => entry !== tables.entry)) {
      const lacks = await lacksOf(dataSource, other);
      others.push(...(lacks.length > 0 ? [`${other.entry} (${lacks.join('; ')})`] : []));
    }
    throw others.length === 0
      ? error
      : new IllegalStateException(`${error.message} Do the same for other packages: ${others.join(', ')}.`);
  }
}

async function assertOwn(dataSource: DataSource, tables: OwnTables): Promise<void> {
  const problems: string[] = [];
  for (const metadata of metadataOf(dataSource, tables)) {
    const error = await failureOf(dataSource, metadata);
    if (error !== undefined) {
      const lack = await lackOf(dataSource, metadata);
      problems.push(lack ?? `the table ${metadata.tablePath} cannot be read (${describeError(error)})`);
    }
  }
  if (problems.length > 0) {
    throw new IllegalStateException(
      `The database is not ready: ${problems.join('; ')}. Add kitAuthMigrations of ${tables.entry} to the migrations ` +
        'of the data source, and run them (migrationsRun: true, dataSource.runMigrations() or the TypeORM CLI). In ' +
        'development, synchronize: true also creates tables.',
    );
  }
}

/**
 * The entities of another package that the data source does not contain, or else what their tables lack. Nothing else
 * that is wrong with them.
 */
async function lacksOf(dataSource: DataSource, tables: OwnTables): Promise<string[]> {
  const entities = missingEntities(dataSource, tables);
  if (entities.length > 0) {
    return entities.map((name) => `the data source does not contain ${name}`);
  }
  const lacks: string[] = [];
  for (const metadata of metadataOf(dataSource, tables)) {
    const error = await failureOf(dataSource, metadata);
    const lack = error === undefined ? undefined : await lackOf(dataSource, metadata).catch(() => undefined);
    lacks.push(...(lack === undefined ? [] : [lack]));
  }
  return lacks;
}

/** Why the columns of a table cannot be read. */
async function failureOf(dataSource: DataSource, metadata: EntityMetadata): Promise<unknown> {
  const columns = metadata.columns.map(({ databaseName }) => dataSource.driver.escape(databaseName));
  const statement = `SELECT ${columns.join(', ')} FROM ${escapedPath(dataSource, metadata)} WHERE 1 = 0`;
  return dataSource.query(statement).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The missing part of an unreadable table. Undefined if the cause is another one, such as a lost connection. */
async function lackOf(
  dataSource: DataSource,
  { tablePath, columns }: EntityMetadata,
): Promise<string | undefined> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    const table = await queryRunner.getTable(tablePath);
    if (table === undefined) {
      return `the table ${tablePath} is missing`;
    }
    const missing = columns
      .map(({ databaseName }) => databaseName)
      .filter((name) => !table.columns.some((column) => column.name === name));
    return missing.length > 0 ? `the table ${tablePath} lacks the columns ${missing.join(', ')}` : undefined;
  } finally {
    await queryRunner.release();
  }
}
