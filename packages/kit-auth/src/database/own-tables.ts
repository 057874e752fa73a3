import type { DataSource, EntityMetadata } from 'typeorm';
import { IllegalStateException } from '../errors/auth.exception.js';

/** The entities of a package, with the entry that exports them. Messages name it. */
export interface OwnTables {
  /** For example `kit-auth/typeorm`. It exports `kitAuthEntities` and `kitAuthMigrations`. */
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
