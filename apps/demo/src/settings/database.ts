import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { SettingError } from './setting-error.js';

const TYPES = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mariadb',
} as const;

/** `sqlite:<file>`, `sqlite::memory:`, `postgres://...`, `mysql://...` or `mariadb://...` as TypeORM takes it. */
export function databaseOptions(url: string): TypeOrmModuleOptions {
  // A demonstration makes its own tables; an application would run migrations.
  const common = { autoLoadEntities: true, synchronize: true, retryAttempts: 0 };
  if (url.startsWith('sqlite:')) {
    const database = url.slice('sqlite:'.length);
    if (database === '') {
      throw new SettingError('DATABASE_URL names no SQLite file');
    }
    if (database !== ':memory:') {
      makeFolderOf(database);
    }
    return { ...common, type: 'better-sqlite3', database };
  }
  const type = URL.canParse(url) && TYPES[new URL(url).protocol as keyof typeof TYPES];
  if (!type) {
    throw new SettingError('DATABASE_URL must begin with sqlite:, postgres://, mysql:// or mariadb://');
  }
  return { ...common, type, url };
}

function makeFolderOf(file: string): void {
  const folder = dirname(file);
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingError(
      `the folder of the SQLite file in DATABASE_URL cannot be created: ${folder} (${code})`,
    );
  }
}

/** Does not use `recursive`, which never ends if the system reports ENOENT for a folder with a parent (`/proc`). */
export function makeFolder(folder: string): void {
  if (!existsSync(folder)) {
    const parent = dirname(folder);
    if (parent !== folder) {
      makeFolder(parent);
    }
    mkdirSync(folder);
  }
}
