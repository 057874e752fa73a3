import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { beforeAll } from '@jest/globals';
import { DataSource, type DataSourceOptions } from 'typeorm';

export type DatabaseName = 'sqlite' | ServerName;
type ServerName = 'postgres' | 'mariadb';

/** The databases that need a server: for the specs named `*.servers.spec.ts`. */
export const SERVERS = ['postgres', 'mariadb'] as const satisfies readonly ServerName[];

/** A database that several applications can share. */
export interface TestDatabase {
  readonly name: DatabaseName;
  /** How an application reaches it. The entities' tables are created; `synchronize: false` keeps them as they are. */
  readonly options: TypeOrmModuleOptions;
  /** Empties the database. Call this before the first use. */
  readonly recreate: () => Promise<void>;
  readonly drop: () => Promise<void>;
}

/** An empty database in memory that ends with its application. */
export function sqliteInMemory(): TypeOrmModuleOptions {
  return { type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true, synchronize: true };
}

const databases = new Set<TestDatabase>();

/**
 * A database that several applications can share: an SQLite file, or a database of this machine's own server with a
 * name that no other test run uses. It is dropped after all tests of its context.
 */
export function sharedDatabase(
  name: DatabaseName,
  { encoding = 'unicode' }: { encoding?: 'unicode' | 'latin1' } = {},
): TestDatabase {
  const database = name === 'sqlite' ? sqliteFile() : onServer(name, encoding);
  databases.add(database);
  return database;
}

/** Drops the databases of `sharedDatabase`. */
export async function dropDatabases(): Promise<void> {
  await Promise.all([...databases].map((database) => database.drop()));
  databases.clear();
}

function sqliteFile(): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'kit-auth-'));
  const file = join(directory, 'test.sqlite');
  return {
    name: 'sqlite',
    options: { ...sqliteInMemory(), database: file, prepareDatabase: withoutSync } as TypeOrmModuleOptions,
    recreate: async () => {
      for (const ending of ['', '-journal', '-wal', '-shm']) {
        rmSync(file + ending, { force: true });
      }
    },
    drop: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A test needs no file that outlives a crash of the machine. */
function withoutSync(database: { pragma(text: string): unknown }): void {
  database.pragma('synchronous = off');
}

const ADMIN = {
  postgres: 'postgres://postgres@127.0.0.1:5432/postgres',
  mariadb: 'mysql://root@127.0.0.1:3306/',
} as const;
const LATIN1 = {
  postgres: "ENCODING LATIN1 TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
  mariadb: 'CHARACTER SET latin1',
} as const;

/** The database that replicas of all others are. */
let replica: string | undefined;

/**
 * Gives all databases of this context, which needs to be its own, a replica that never hears of a write: it has the
 * tables of the entities, and no rows. Call it before any other function of this file.
 */
export function replicateNothing(name: ServerName, entities: (new () => object)[]): void {
  const empty = sharedDatabase(name);
  beforeAll(async () => {
    await empty.recreate();
    const server = new DataSource({ ...empty.options, entities } as DataSourceOptions);
    await (await server.initialize()).destroy();
  });
  replica = (empty.options as { url: string }).url;
}

/** The same data source for a test, which reads what has been written: the primary answers. */
export function ofPrimary(dataSource: DataSource): DataSource {
  if (!('replication' in dataSource.options)) {
    return dataSource;
  }
  const primary = Object.create(dataSource, {
    defaultReplicationModeForReads: { value: () => 'master' },
  }) as DataSource;
  return Object.defineProperty(primary, 'manager', { value: primary.createEntityManager() });
}

function onServer(type: ServerName, encoding: 'unicode' | 'latin1'): TestDatabase {
  const name = `kit_auth_${process.pid}_${randomBytes(4).toString('hex')}`;
  const url = Object.assign(new URL(ADMIN[type]), { pathname: `/${name}` }).href;
  const drop = `DROP DATABASE IF EXISTS ${name}${type === 'postgres' ? ' WITH (FORCE)' : ''}`;
  const run = async (...statements: string[]) => {
    const server = await new DataSource({ type, url: ADMIN[type] }).initialize();
    for (const statement of statements) {
      await server.query(statement);
    }
    await server.destroy();
  };
  return {
    name: type,
    options: {
      type,
      ...(replica === undefined ? { url } : { replication: { master: { url }, slaves: [{ url: replica }] } }),
      autoLoadEntities: true,
      synchronize: true,
    },
    recreate: () => run(drop, `CREATE DATABASE ${name} ${encoding === 'latin1' ? LATIN1[type] : ''}`),
    drop: () => run(drop),
  };
}
