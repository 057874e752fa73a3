import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import { CliError } from '../cli.error.js';
import { isFile, type Manifest, packageRootOf, parseJson } from './installation.js';
import { didYouMean } from '../reason.js';

/** The location of the application. It is not loaded yet. */
export interface FoundApplication {
  /** The folder of its package.json. */
  readonly root: string;
  readonly manifest: Manifest;
  readonly module: FoundExport;
  /** A function that sets up the application like `main.ts`. Called before commands read it. */
  readonly setup: FoundExport | undefined;
}

export interface FoundExport {
  /** Absolute. */
  readonly file: string;
  /** The name in `file#name`. */
  readonly name: string | undefined;
  /** The path for messages: relative to the folder of package.json if the file is inside of it. */
  readonly shown: string;
}

const KEYS = ['module', 'setup'] as const;
type Configured = Partial<Record<(typeof KEYS)[number], string>>;

/**
 * Finds the module of the application: the one in `--module`, then the one in `"kit-auth": { "module": … }` of
 * package.json, then the only `app.module.js` below `dist`.
 *
 * @throws CliError that lists where it was looked for
 */
export function findApplication(cwd: string, given: Configured = {}): FoundApplication {
  const root = rootOf(cwd);
  const manifest = readManifest(join(root, 'package.json'));
  const configured = configuredIn(manifest);
  const setup =
    (given.setup === undefined ? undefined : exportOf(given.setup, cwd, root, '--setup')) ??
    (configured.setup && exportOf(configured.setup, root, root, SETUP_KEY));
  const module =
    given.module !== undefined
      ? exportOf(given.module, cwd, root, '--module')
      : configured.module !== undefined
        ? exportOf(configured.module, root, root, MODULE_KEY)
        : builtModule(root, manifest);
  return { root, manifest, module, setup: setup || undefined };
}

const MODULE_KEY = '"kit-auth": { "module" } in package.json';
const SETUP_KEY = '"kit-auth": { "setup" } in package.json';
const CONFIGURE = `name it with --module=<file#Export>, or in package.json:
  "kit-auth": { "module": "dist/app.module.js#AppModule" }`;

function rootOf(cwd: string): string {
  const root = packageRootOf(resolve(cwd));
  if (root === undefined) {
    throw new CliError(
      `There is no application: neither ${cwd} nor a folder above it has a package.json. Run kit-auth in the folder ` +
        'of your application.',
    );
  }
  return root;
}

function readManifest(file: string): Manifest {
  try {
    return parseJson(readFileSync(file, 'utf8')) as Manifest;
  } catch {
    throw new CliError(`${file} is not valid JSON.`);
  }
}

function configuredIn(manifest: Manifest): Configured {
  const own = manifest['kit-auth'] ?? {};
  if (typeof own !== 'object' || Object.values(own).some((value) => typeof value !== 'string')) {
    throw new CliError(
      '"kit-auth" in package.json must be an object with string values: { "module": "file#Export" }.',
    );
  }
  for (const key of Object.keys(own)) {
    if (!KEYS.some((known) => known === key)) {
      throw new CliError(
        `"kit-auth" in package.json has the unknown key "${key}".${didYouMean(key, KEYS, '"')}`,
      );
    }
  }
  return own;
}

function exportOf(text: string, base: string, root: string, source: string): FoundExport {
  const [path = '', name] = text.split('#', 2);
  const file = resolve(base, path);
  if (path === '' || !isFile(file)) {
    const isBuilt = /^(?:\.\/)?(?:dist|build|out)\//.test(path);
    throw new CliError(
      `There is no file ${shownIn(root, file)}, which ${source} names.${isBuilt ? ' Build the application first.' : ''}`,
    );
  }
  return { file, name: name === '' ? undefined : name, shown: shownIn(root, file) };
}

function builtModule(root: string, manifest: Manifest): FoundExport {
  const found = builtModules(join(root, 'dist'));
  if (found.length > 1) {
    const list = found.map((file) => `  ${shownIn(root, file)}`).join('\n');
    throw new CliError(`There are several files app.module.js:\n${list}\nTo choose one, ${CONFIGURE}`);
  }
  const [file] = found;
  if (file === undefined) {
    throw new CliError(
      `There is no application in ${root}. kit-auth looked for --module, for ${MODULE_KEY}, and for\n` +
        `dist/**/app.module.js. ${cureOf(root, manifest)}`,
    );
  }
  return { file, name: undefined, shown: shownIn(root, file) };
}

function cureOf(root: string, { scripts }: Manifest): string {
  const source = ['src/app.module.ts', 'src/app/app.module.ts'].find((file) => existsSync(join(root, file)));
  const build = scripts?.['build'] === undefined ? 'Build the application' : 'Build it with `npm run build`';
  const cure = source === undefined ? build : `There is ${source}, which is not built. ${build}`;
  return `${cure}.\nIf the built module is elsewhere, ${CONFIGURE}`;
}

/** All `app.module.js` below a folder. */
function builtModules(folder: string): string[] {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        return entry.name === 'node_modules' ? [] : builtModules(path);
      }
      return /^app\.module\.[cm]?js$/.test(entry.name) ? [path] : [];
    })
    .sort();
}

function shownIn(root: string, file: string): string {
  const path = relative(root, file);
  return path.startsWith(`..${sep}`) ? file : path;
}

export function isTypeScript(file: string): boolean {
  return /^\.[cm]?ts$/.test(extname(file));
}
