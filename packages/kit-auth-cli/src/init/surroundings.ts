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

/** Libraries that authenticate. With them, an application keeps working if kit-auth protects only what is decorated. */
const OTHER_AUTHENTICATION = [
  '@nestjs/passport',
  'passport',
  'better-auth',
  'keycloak-connect',
  'nest-keycloak-connect',
  'supertokens-node',
];

/** What other files of the application say. */
export interface Surroundings {
  /** The file with `TypeOrmModule.forRoot()`, relative to the folder of package.json. */
  readonly typeOrmIn: string | undefined;
  /** Whether it is the file of the root module. */
  readonly isTypeOrmInRoot: boolean;
  /** Whether a file contains `autoLoadEntities`. */
  readonly loadsEntities: boolean;
  /** Another library, in an application without TypeORM. */
  readonly otherOrm: string | undefined;
  readonly otherAuthentication: string | undefined;
}

/** @throws NotUnderstood if another file imports kit-auth already */
export function surroundingsOf({ root, sources, file }: Target): Surroundings {
  const { dependencies, devDependencies } = new Installation(root).manifest;
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const folders = [sources, join(root, 'libs'), join(root, 'packages')];
  let typeOrm: string | undefined;
  let loadsEntities = false;
  for (const path of folders.flatMap((folder) => [...sourceFiles(folder)])) {
    const text = readFileSync(path, 'utf8');
    if (path !== file && /\bKitAuthModule\.forRoot(?:Async)?\s*\(/.test(text)) {
      throw new NotUnderstood(`${relative(root, path)} has KitAuthModule already.`);
    }
    if (/\bTypeOrmModule\s*\.forRoot(?:Async)?\s*\(/.test(text) && (typeOrm === undefined || path === file)) {
      typeOrm = path;
    }
    loadsEntities ||= /\bautoLoadEntities\b(?!['"]?\s*:\s*false)/.test(text);
  }
  return {
    typeOrmIn: typeOrm && relative(root, typeOrm),
    isTypeOrmInRoot: typeOrm === file,
    loadsEntities,
    otherOrm: typeOrm === undefined ? OTHER_ORMS.find((name) => names.includes(name)) : undefined,
    otherAuthentication: OTHER_AUTHENTICATION.find((name) => names.includes(name)),
  };
}
