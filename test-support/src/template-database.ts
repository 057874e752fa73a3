import { createRequire } from 'node:module';
import { DataSource, type DataSourceOptions } from 'typeorm';

interface Sqlite {
  serialize(): Buffer;
}
type SqliteClass = new (contents: string | Buffer, settings: object) => Sqlite;

const Sqlite = createRequire(import.meta.url)('better-sqlite3') as SqliteClass;
const ids = new WeakMap<object, number>();
let lastId = 0;
const templates = new Map<string, Buffer>();

/** Whether the database is an empty one in memory, and gets the tables of the entities. */
export function isNewInMemory({ type, database, synchronize }: Partial<DataSourceOptions>): boolean {
  return type === 'better-sqlite3' && database === ':memory:' && synchronize === true;
}

/**
 * For `dataSourceFactory`: a database in memory with the tables of the entities. Only the first one with these entities
 * compares them with the tables and creates these; the others begin with a copy.
 */
export async function fromTemplate(options?: DataSourceOptions): Promise<DataSource> {
  const key = (options!.entities as object[]).map(idOf).sort().join();
  const template = templates.get(key);
  const dataSource = new DataSource({
    ...options!,
    synchronize: false,
    // TypeORM calls it with `new`.
    ...(template !== undefined && {
      driver: function copy(_name: string, settings: object) {
        return new Sqlite(template, settings);
      },
    }),
  });
  await dataSource.initialize();
  if (template === undefined) {
    await dataSource.synchronize();
    templates.set(
      key,
      (dataSource.driver as unknown as { databaseConnection: Sqlite }).databaseConnection.serialize(),
    );
  }
  return dataSource;
}

function idOf(entity: object): number {
  const id = ids.get(entity) ?? ++lastId;
  ids.set(entity, id);
  return id;
}
