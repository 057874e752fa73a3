import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { IllegalStateException } from 'kit-auth';
import { folder } from 'kit-auth-console/page';

const NAME = 'kit-auth-console';

/** The folder of the page, which is beside both builds. */
export const PAGE = folder;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, Entry>>;
}

interface Entry {
  readonly default?: string;
  readonly import?: { readonly default: string };
}

/** The version of this package. @throws IllegalStateException in a bundle that does not leave the page out */
export function version(): string {
  const { name, version } = readManifest(NAME, () => join(PAGE, '../package.json'));
  if (name !== NAME) {
    throw notFound(NAME); // It belongs to the application.
  }
  return version;
}

/**
 * Reads what a package publishes for browsers: its ES modules, and its JSON files.
 *
 * @throws IllegalStateException for a package that is not beside this one
 */
export function published(name: string, entry: string): string {
  const locate = () => createRequire(join(PAGE, 'folder.cjs')).resolve(`${name}/package.json`);
  // Not destructured: in CommonJS, `exports` is the module.
  const found = readManifest(name, locate).exports[entry];
  const file = found?.import?.default ?? found?.default ?? entry;
  return readFileSync(join(dirname(locate()), file), 'utf8');
}

function readManifest(name: string, locate: () => string): Manifest {
  try {
    return JSON.parse(readFileSync(locate(), 'utf8')) as Manifest;
  } catch {
    throw notFound(name);
  }
}

function notFound(name: string): IllegalStateException {
  return new IllegalStateException(
    `The administration page does not find the files of ${name}. If your server is a bundle, leave kit-auth-console/page out ` +
      'of it, and put kit-auth-console, kit-auth-browser, kit-auth-languages and, for passkeys, kit-auth-passkeys into a ' +
      'folder node_modules beside it.',
  );
}
