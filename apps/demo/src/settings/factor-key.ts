import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from './database.js';
import { SettingError } from './setting-error.js';

const FILE = 'factors.key';

/**
 * The file of the key that encrypts second factors, without `KIT_AUTH_FACTORS_KEYS`: beside the SQLite file, or where
 * that would be. Undefined if neither the key nor the database is stored.
 */
export function factorKeyFile(
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  defaultDatabaseUrl: string,
): string | undefined {
  if (env['NODE_ENV'] === 'production' && env['KIT_AUTH_FACTORS_KEYS'] === undefined) {
    throw new SettingError(
      'KIT_AUTH_FACTORS_KEYS must be set in production, for example to the output of "npx kit-auth secret"',
    );
  }
  const [, file] = /^sqlite:(.+)$/.exec(databaseUrl) ?? /^sqlite:(.+)$/.exec(defaultDatabaseUrl) ?? [];
  return file === undefined || file === ':memory:' ? undefined : join(dirname(file), FILE);
}

/** Reads the key, or makes one at the first start. */
export function readFactorKey(file: string | undefined): string {
  const made = randomBytes(32).toString('hex');
  if (file === undefined) {
    return made;
  }
  try {
    makeFolder(dirname(file));
    writeFileSync(file, made, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return readFileSync(file, 'utf8');
    }
    throw new SettingError(
      `the key of second factors cannot be kept in ${file} (${(error as NodeJS.ErrnoException).code}); ` +
        'set KIT_AUTH_FACTORS_KEYS',
    );
  }
}
