import type { DataSource } from 'typeorm';
import type { OwnTables } from './own-tables.js';

const USED = new WeakMap<DataSource, Map<string, OwnTables>>();

/** Notes that the application uses tables, for `kit-auth doctor` and `kit-auth migration:generate`. */
export function useTables(dataSource: DataSource, tables: OwnTables): void {
  const used = USED.get(dataSource) ?? new Map<string, OwnTables>();
  USED.set(dataSource, used.set(tables.entry, tables));
}

/** The tables of kit-auth and of packages for it that the application uses, ordered by their entries. */
export function tablesUsedIn(dataSource: DataSource): OwnTables[] {
  const used = [...(USED.get(dataSource)?.values() ?? [])];
  return used.sort((a, b) => (a.entry < b.entry ? -1 : 1));
}
