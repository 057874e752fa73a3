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

const LATIN1 = {
  postgres: "ENCODING LATIN1 TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
  mariadb: 'CHARACTER SET latin1',
} as const;

/** Databases of this machine's own servers, named for this run: two runs at once do not meet. */
export function serverDatabases(
  purpose: string,
  { encoding = 'unicode' }: { encoding?: 'unicode' | 'latin1' } = {},
): TestDatabase[] {
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
      recreate: () =>
        run(drop, `CREATE DATABASE ${databaseName} ${encoding === 'latin1' ? LATIN1[type] : ''}`),
      drop: () => run(drop),
    };
  });
}
