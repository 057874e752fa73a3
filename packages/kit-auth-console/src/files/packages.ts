import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { folder } from 'kit-auth-console/page';

/** The folder of the page, which is beside both builds. */
export const PAGE = folder;

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, Entry>>;
}

interface Entry {
  readonly default?: string;
  readonly import?: { readonly default: string };
}

const packages = createRequire(join(PAGE, 'folder.cjs'));

/** The version of this package. */
export function version(): string {
  return (JSON.parse(readFileSync(join(PAGE, '../package.json'), 'utf8')) as Manifest).version;
}

/** Reads what a package publishes for browsers: its ES modules, and its JSON files. */
export function published(name: string, entry: string): string {
  const manifest = packages.resolve(`${name}/package.json`);
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
  const file = exports[entry]?.import?.default ?? exports[entry]?.default ?? entry;
  return readFileSync(join(dirname(manifest), file), 'utf8');
}
