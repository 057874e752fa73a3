import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** An empty database in memory that ends with its application. */
export function sqliteInMemory(): TypeOrmModuleOptions {
  return { type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true, synchronize: true };
}

export function database(options: TypeOrmModuleOptions = sqliteInMemory()) {
  return TypeOrmModule.forRoot({ retryAttempts: 0, ...options });
}

export interface TestDatabase {
  name: string;
  /** How an application reaches it. */
  options: TypeOrmModuleOptions;
  /** Makes it empty. */
  recreate: () => Promise<void>;
  drop: () => Promise<void>;
}

/** Databases of this machine's own servers, named for this run: two runs at once do not meet. */
export function serverDatabases(purpose: string): TestDatabase[] {
  const databaseName = `kit_auth_${purpose}_${process.pid}`;
  return [
    {
      type: 'postgres' as const,
      admin: 'postgres://postgres@127.0.0.1:5432/postgres',
      url: `postgres://postgres@127.0.0.1:5432/${databaseName}`,
    },
    {
      type: 'mariadb' as const,
      admin: 'mysql://root@127.0.0.1:3306',
      url: `mysql://root@127.0.0.1:3306/${databaseName}`,
    },
  ].map(({ type, admin, url }) => {
    const drop = `DROP DATABASE IF EXISTS ${databaseName}${type === 'postgres' ? ' WITH (FORCE)' : ''}`;
    const run = async (...statements: string[]) => {
      const server = await new DataSource({ type, url: admin }).initialize();
      for (const statement of statements) {
        await server.query(statement);
      }
      await server.destroy();
    };
    return {
      name: type,
      options: { type, url, autoLoadEntities: true, synchronize: true },
      recreate: () => run(drop, `CREATE DATABASE ${databaseName}`),
      drop: () => run(drop),
    };
  });
}
