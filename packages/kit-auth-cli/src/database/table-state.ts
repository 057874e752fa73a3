import type { DataSource, EntityMetadata, MigrationInterface } from 'typeorm';
import { metadataOf, type OwnTables } from 'kit-auth/typeorm';

/** The state of tables of kit-auth in a database. */
export interface TableState {
  /** The names of tables that do not exist. */
  readonly missing: readonly string[];
  /** The statements that would make the other tables match their entities. */
  readonly differences: readonly string[];
  /** The entries whose `kitAuthMigrations` the data source does not have. */
  readonly withoutMigrations: readonly string[];
  /** The data source has migrations of kit-auth that have not run yet. */
  readonly isPending: boolean;
}

/**
 * Compares tables with their entities, and changes nothing.
 *
 * @throws IllegalStateException when the data source does not contain an entity
 */
export async function tableStateOf(
  dataSource: DataSource,
  tables: readonly OwnTables[],
): Promise<TableState> {
  const wanted = tables.flatMap((own) => metadataOf(dataSource, own));
  const existing = await existingOf(dataSource, wanted);
  const [own, withoutMigrations] = migrationsOf(dataSource, tables);
  const executed = await executedMigrations(dataSource);
  return {
    missing: wanted.filter((table) => !existing.includes(table)).map(({ tablePath }) => tablePath),
    differences: await differencesOf(dataSource, existing),
    withoutMigrations,
    isPending: own.some(({ name }) => name !== undefined && !executed.has(name)),
  };
}

/** The migrations of these tables in the data source, and the entries whose migrations it lacks. */
export function migrationsOf(
  { migrations }: DataSource,
  tables: readonly OwnTables[],
): [own: MigrationInterface[], withoutMigrations: string[]] {
  const entries = new Set(tables.map(({ entry }) => entry));
  const own = migrations.filter((migration) => entries.has(entryOf(migration) ?? ''));
  const present = new Set(own.map(entryOf));
  return [own, [...entries].filter((entry) => !present.has(entry))];
}

/** The entry of a `TablesMigration` of any build of kit-auth. */
function entryOf(migration: MigrationInterface): string | undefined {
  return (migration as { tables?: OwnTables }).tables?.entry;
}

async function existingOf(dataSource: DataSource, wanted: EntityMetadata[]): Promise<EntityMetadata[]> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    const existing: EntityMetadata[] = [];
    for (const metadata of wanted) {
      if (await queryRunner.hasTable(metadata.tablePath)) {
        existing.push(metadata);
      }
    }
    return existing;
  } finally {
    await queryRunner.release();
  }
}

/** The statements that TypeORM would run. It compares all tables of the data source, so the others are left out. */
async function differencesOf(dataSource: DataSource, own: EntityMetadata[]): Promise<string[]> {
  const others = dataSource.entityMetadatas.filter(
    (table) => table.synchronize && table.tableType !== 'view' && !own.includes(table),
  );
  others.forEach((table) => (table.synchronize = false));
  try {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const foreign = tablesOfTypeOrm(dataSource);
    return upQueries
      .map(({ query }) => query)
      .filter((query) => !/^(?:CREATE|DROP) (?:MATERIALIZED )?VIEW\b/.test(query))
      .filter((query) => !foreign.some((name) => query.includes(name)));
  } finally {
    others.forEach((table) => (table.synchronize = true));
  }
}

/** Tables of TypeORM itself. Its log contains them. */
function tablesOfTypeOrm({ options: { cache, metadataTableName } }: DataSource): string[] {
  const cacheTable = typeof cache === 'object' ? cache.tableName : undefined;
  return [cacheTable ?? 'query-result-cache', metadataTableName ?? 'typeorm_metadata'];
}

/** The names of the migrations that have run. */
export async function executedMigrations(dataSource: DataSource): Promise<Set<string>> {
  const { driver, options } = dataSource;
  const { schema } = options as { schema?: string };
  const table = driver.buildTableName(options.migrationsTableName ?? 'migrations', schema, driver.database);
  const queryRunner = dataSource.createQueryRunner();
  try {
    if (!(await queryRunner.hasTable(table))) {
      return new Set();
    }
    const rows = await queryRunner.manager
      .createQueryBuilder()
      .select('executed.name', 'name')
      .from(table, 'executed')
      .getRawMany<{ name: string }>();
    return new Set(rows.map(({ name }) => name));
  } finally {
    await queryRunner.release();
  }
}
