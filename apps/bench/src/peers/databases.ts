import type { TypeOrmModuleOptions } from '@nestjs/typeorm';

export type Database = 'sqlite' | 'postgres';

/** The file or server that `BENCH_SQLITE` and `BENCH_POSTGRES` name. */
export function databaseOf(database: Database): TypeOrmModuleOptions {
  const common = { autoLoadEntities: true, synchronize: true, logging: false };
  return database === 'sqlite'
    ? { ...common, type: 'better-sqlite3', database: process.env['BENCH_SQLITE'] ?? ':memory:' }
    : { ...common, type: 'postgres', url: process.env['BENCH_POSTGRES'] as string };
}
