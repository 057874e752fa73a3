import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Installation } from '../application/installation.js';
import { NotUnderstood } from './not-understood.error.js';
import { sourceFiles, type Target } from './target.js';

/** Libraries for tables of an application. */
const OTHER_ORMS = [
  '@prisma/client',
  'mongoose',
  'sequelize',
  '@mikro-orm/core',
  'drizzle-orm',
  'knex',
  'kysely',
];

/** What other files of the application say. */
export interface Surroundings {
  /** The file with `TypeOrmModule.forRoot()`, relative to the folder of package.json. */
  readonly typeOrmIn: string | undefined;
  /** Whether that file contains `autoLoadEntities`. */
  readonly loadsEntities: boolean;
  /** Another library, in an application without TypeORM. */
  readonly otherOrm: string | undefined;
}

/** @throws NotUnderstood if another file imports kit-auth already */
export function surroundingsOf({ root, sources, file }: Target): Surroundings {
  const { dependencies, devDependencies } = new Installation(root).manifest;
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const folders = [sources, join(root, 'libs'), join(root, 'packages')];
  let typeOrm: { path: string; text: string } | undefined;
  for (const path of folders.flatMap((folder) => [...sourceFiles(folder)])) {
    const text = readFileSync(path, 'utf8');
    if (path !== file && /\bKitAuthModule\.forRoot(?:Async)?\s*\(/.test(text)) {
      throw new NotUnderstood(`${relative(root, path)} has KitAuthModule already.`, path);
    }
    if (/\bTypeOrmModule\s*\.forRoot(?:Async)?\s*\(/.test(text) && (typeOrm === undefined || path === file)) {
      typeOrm = { path, text };
    }
  }
  return {
    typeOrmIn: typeOrm && relative(root, typeOrm.path),
    loadsEntities: /\bautoLoadEntities\b(?!['"]?\s*:\s*false)/.test(typeOrm?.text ?? ''),
    otherOrm: typeOrm === undefined ? OTHER_ORMS.find((name) => names.includes(name)) : undefined,
  };
}
