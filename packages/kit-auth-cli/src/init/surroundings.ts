import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type SourceFile, SyntaxKind } from 'ts-morph';
import { Installation } from '../application/installation.js';
import { CliError } from '../cli.error.js';
import { loadsEntities } from './entity-loading.js';
import { parse } from './module-file.js';
import { sourceFiles, type Target } from './target.js';
import { CORE, TYPEORM } from './wanted.js';

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

/** Other authentication. It keeps working if kit-auth protects only decorated routes. */
const OTHER_AUTHENTICATION = [
  '@nestjs/passport',
  'passport',
  'better-auth',
  'keycloak-connect',
  'nest-keycloak-connect',
  'supertokens-node',
];

/** Facts from other files of the application. */
export interface Surroundings {
  /** The file with `TypeOrmModule.forRoot()`, relative to the folder of package.json. */
  readonly typeOrmIn: string | undefined;
  /** It is the file of the root module. */
  readonly isTypeOrmInRoot: boolean;
  /** A file contains `autoLoadEntities`. */
  readonly loadsEntities: boolean;
  /** Another library, in an application without TypeORM. */
  readonly otherOrm: string | undefined;
  readonly otherAuthentication: string | undefined;
}

/** @throws CliError if another file imports kit-auth already */
export function surroundingsOf({ root, sources, file }: Target): Surroundings {
  const folders = [sources, join(root, 'libs'), join(root, 'packages')];
  let typeOrm: string | undefined;
  let loads = false;
  for (const path of folders.flatMap((folder) => [...sourceFiles(folder)])) {
    const text = readFileSync(path, 'utf8');
    if (!/KitAuthModule|TypeOrmModule|autoLoadEntities/.test(text)) {
      continue;
    }
    const source = parse(text);
    if (path !== file && callsRoot(source, CORE.name)) {
      const other = relative(root, path);
      throw new CliError(
        `${other} has KitAuthModule already. Nothing was changed. To change that file: --module=${other}`,
        3,
      );
    }
    if ((typeOrm === undefined || path === file) && callsRoot(source, TYPEORM.name)) {
      typeOrm = path;
    }
    loads ||= loadsEntities(source) === true;
  }
  return {
    typeOrmIn: typeOrm && relative(root, typeOrm),
    isTypeOrmInRoot: typeOrm === file,
    loadsEntities: loads,
    ...othersOf(new Installation(root).declared, typeOrm !== undefined),
  };
}

/** The facts in package.json, for an application whose files are not understood. */
export function surroundingsByManifest(root: string): Surroundings {
  const { declared } = new Installation(root);
  const typeOrmIn = TYPEORM.from in declared ? 'package.json' : undefined;
  return {
    typeOrmIn,
    isTypeOrmInRoot: true,
    loadsEntities: false,
    ...othersOf(declared, typeOrmIn !== undefined),
  };
}

function othersOf(
  has: Installation['declared'],
  hasTypeOrm: boolean,
): Pick<Surroundings, 'otherOrm' | 'otherAuthentication'> {
  return {
    otherOrm: hasTypeOrm ? undefined : OTHER_ORMS.find((name) => name in has),
    otherAuthentication: OTHER_AUTHENTICATION.find((name) => name in has),
  };
}

/** The code calls `forRoot()` or `forRootAsync()` of a class. Comments do not count. */
function callsRoot(source: SourceFile, name: string): boolean {
  return source
    .getDescendantsOfKind(SyntaxKind.PropertyAccessExpression)
    .some(
      (access) => access.getExpression().getText() === name && /^forRoot(?:Async)?$/.test(access.getName()),
    );
}
