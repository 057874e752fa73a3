import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import { escapedPath } from './own-tables.js';

/** The table of a many-to-many relation, with the names that it has in the database of the application. */
export interface JunctionTable {
  /** The table for query builders. */
  readonly target: EntityTarget<ObjectLiteral>;
  /** The name of the table, escaped for SQL. */
  readonly table: string;
  /** The column with the id of the entity that declares the relation, escaped for SQL. */
  readonly owner: string;
  /** The column with the id of the related entity, escaped for SQL. */
  readonly inverse: string;
  /** A row, for query builders. */
  row(ownerId: number, inverseId: number): ObjectLiteral;
}

/**
 * Looks up the junction table of a relation. A naming strategy, `entityPrefix` and `schema` may change its names.
 *
 * @example
 * const { table, owner, inverse } = junctionTable(dataSource, AuthUser, 'roles');
 * const holders = await dataSource.query(`SELECT ${owner} AS id FROM ${table} WHERE ${inverse} = 1`);
 */
export function junctionTable<Entity extends ObjectLiteral>(
  dataSource: DataSource,
  entity: new () => Entity,
  relation: keyof Entity & string,
): JunctionTable {
  const junction = dataSource
    .getMetadata(entity)
    .findRelationWithPropertyPath(relation)?.junctionEntityMetadata;
  const [owner, inverse] = [junction?.ownerColumns[0], junction?.inverseColumns[0]];
  if (junction === undefined || owner === undefined || inverse === undefined) {
    throw new TypeError(`${entity.name}.${relation} has no junction table`);
  }
  const escape = (name: string) => dataSource.driver.escape(name);
  return {
    target: junction.target,
    table: escapedPath(dataSource, junction),
    owner: escape(owner.databaseName),
    inverse: escape(inverse.databaseName),
    row: (ownerId, inverseId) => ({ [owner.propertyName]: ownerId, [inverse.propertyName]: inverseId }),
  };
}
