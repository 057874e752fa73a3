import type { DataSource } from 'typeorm';

/**
 * Whether the database is SQLite: it has no row locks, and TypeORM has one connection to it, which cannot hold two
 * transactions.
 */
export function isSqlite({ options }: DataSource): boolean {
  return ['better-sqlite3', 'sqlite', 'sqljs'].includes(options.type);
}
