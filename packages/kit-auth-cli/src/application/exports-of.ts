import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { INestApplication, Type } from '@nestjs/common';
import { describeError } from 'kit-auth/tools';
import { CliError } from '../cli.error.js';
import { type FoundExport, isTypeScript } from './find-application.js';
import { didYouMean } from '../reason.js';

type Exports = Readonly<Record<string, unknown>>;
type Setup = (app: INestApplication) => unknown;

const MODULE_KEYS = ['imports', 'controllers', 'providers', 'exports'];

/** Loads an ES module or CommonJS. @throws CliError */
export async function importFile(found: FoundExport): Promise<Exports> {
  const { file, shown } = found;
  if (/^main\.[cm]?js$/.test(basename(file)) && /\bNestFactory\.create/.test(readFileSync(file, 'utf8'))) {
    throw new CliError(
      `${shown} contains NestFactory.create(), so loading it may start the application. Name a file that only exports, ` +
        'such as dist/app.module.js.',
    );
  }
  try {
    const namespace = (await import(pathToFileURL(file).href)) as Exports;
    // `default` of CommonJS is module.exports. It has names that Node may not have found.
    const { default: main } = namespace;
    return typeof main === 'object' ? { ...namespace, ...main } : namespace;
  } catch (error) {
    if (isTypeScript(file)) {
      throw new CliError(
        `${shown} cannot be loaded: ${describeError(error)}\n` +
          'It is TypeScript, and Node runs no decorators. Build the application, and name the built module, such as ' +
          '--module=dist/app.module.js. Or load a compiler that knows decorators and their types, for example:\n' +
          '  node --import @swc-node/register/esm-register node_modules/kit-auth-cli/dist/esm/main.js\n' +
          'For code that does not need emitDecoratorMetadata, `node --import tsx` is enough.',
        2,
        { cause: error },
      );
    }
    throw new CliError(`${shown} cannot be loaded: ${describeError(error)}`, 1, { cause: error });
  }
}

/** The named module; without a name `AppModule`, or the only module of the file. @throws CliError */
export function exportedModule({ name, shown }: FoundExport, exports: Exports): Type {
  const names = namesOf(exports, isModule);
  const chosen =
    name ?? (names.includes('AppModule') ? 'AppModule' : names.length === 1 ? names[0] : undefined);
  const found = chosen === undefined ? undefined : exports[chosen];
  if (isModule(found)) {
    return found as Type;
  }
  if (name === undefined) {
    throw new CliError(
      names.length === 0
        ? `${shown} exports no module. Name the file and the export: --module=<file#Export>`
        : `${shown} exports several modules: ${names.join(', ')}. Name one: --module=${shown}#${names[0]}`,
    );
  }
  const known = names.length === 0 ? 'It exports no module.' : `It exports ${names.join(', ')}.`;
  throw new CliError(
    `${shown} exports no module ${name}, which "#${name}" names. ${known}${didYouMean(name, names)}`,
  );
}

/** The named function, or the only one of the file. @throws CliError */
export function exportedSetup({ name, shown }: FoundExport, exports: Exports): Setup {
  const names = namesOf(exports, (value) => typeof value === 'function');
  const chosen = name ?? (names.length === 1 ? names[0] : undefined);
  const found = chosen === undefined ? undefined : exports[chosen];
  if (typeof found !== 'function') {
    throw new CliError(
      `${shown} does not export ${name === undefined ? 'exactly one function' : `a function ${name}`}. The setup ` +
        `of an application is a function (app) => …, named as file#name.`,
    );
  }
  return found as Setup;
}

/** Includes `default` only if it is the only export: in CommonJS, it contains all exports. */
function namesOf(exports: Exports, isWanted: (value: unknown) => boolean): string[] {
  const all = Object.keys(exports).filter((name) => name !== 'module.exports' && isWanted(exports[name]));
  const named = all.filter((name) => name !== 'default');
  return named.length > 0 ? named : all;
}

/** A class with `@Module()`, or a dynamic module. */
function isModule(value: unknown): boolean {
  return typeof value === 'function'
    ? /Module$/.test(value.name) || MODULE_KEYS.some((key) => Reflect.hasMetadata(key, value))
    : typeof value === 'object' && value !== null && 'module' in value;
}
