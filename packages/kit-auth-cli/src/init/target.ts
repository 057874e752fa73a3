import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { LOCKS } from 'package-manager-detector/constants';
import { isFile, packageRootOf, parentsOf } from '../application/installation.js';
import { CliError, NotUnderstood } from '../cli.error.js';
import { rootModuleOf } from './root-module.js';

/** The source of an application. */
export interface Target {
  /** The folder of its package.json. */
  readonly root: string;
  /** The folder of its source files. */
  readonly sources: string;
  /** The file of the root module. */
  readonly file: string;
  /** The path of the file for messages, relative to the current folder. */
  readonly shown: string;
  readonly className: string | undefined;
}

interface Project {
  readonly name: string;
  /** The folder of the source files. */
  readonly sources: string;
  /** The file that starts the application. */
  readonly entry: string;
}

interface NestCli {
  readonly sourceRoot?: string;
  readonly entryFile?: string;
  readonly projects?: Readonly<Record<string, NestCli & { readonly type?: string }>>;
}

/** One of these is in the folder of a workspace. */
const MARKS = ['.git', 'nx.json', ...Object.keys(LOCKS)];
/** The depth of applications below the root of a monorepo, for example `apps/shop/api`. */
const MAX_DEPTH = 4;
const SKIPPED = /^(?:node_modules|dist|build|coverage|\..*)$/;

/**
 * Finds the root module: `--module`, or the module that the entry file passes to `NestFactory.create()`.
 *
 * @throws CliError if there is no application, or there are several; NotUnderstood
 */
export function findTarget(
  cwd: string,
  { project, module }: { readonly project?: string | undefined; readonly module?: string | undefined },
): Target {
  const root = packageRootOf(resolve(cwd));
  if (root === undefined) {
    throw new CliError(
      `Neither ${cwd} nor a folder above it has a package.json. Run it in your application.`,
    );
  }
  if (module !== undefined) {
    const [path = '', className] = module.split('#', 2);
    const file = resolve(cwd, path);
    if (!isFile(file)) {
      throw new CliError(`There is no file ${path}, which --module names.`);
    }
    const folders = parentsOf(dirname(file)).filter((folder) => folder.startsWith(root));
    const sources = folders.find((folder) => isFile(join(folder, 'main.ts'))) ?? dirname(file);
    const target = targetOf(cwd, sources, file, className);
    const own = packageRootOf(dirname(file));
    return own === undefined ? target : inWorkspaceOf(own, cwd, target);
  }
  const { sources, entry } = chosen(projectsIn(root), { cwd, root, name: project });
  const { file, className } = rootModuleOf(entry, relative(cwd, entry), root);
  return inWorkspaceOf(root, cwd, targetOf(cwd, sources, file, className));
}

/**
 * A hostile repository could otherwise lead `--yes` to any file.
 *
 * @throws NotUnderstood for files elsewhere: nest-cli.json, an import or a symbolic link can name them
 */
function inWorkspaceOf(root: string, cwd: string, target: Target): Target {
  const workspace = realpathSync(
    parentsOf(root).find((folder) => MARKS.some((mark) => existsSync(join(folder, mark)))) ?? root,
  );
  for (const path of [target.sources, target.file, join(target.root, 'package.json')]) {
    const real = realpathSync(path);
    const way = relative(workspace, real);
    if (isAbsolute(way) || way.split(sep)[0] === '..') {
      throw new NotUnderstood(
        `${relative(cwd, path)} is outside of the workspace ${workspace}: it is ${real}. If you want to change the ` +
          'application there, run it in its folder.',
      );
    }
  }
  return target;
}

function targetOf(cwd: string, sources: string, file: string, className: string | undefined): Target {
  const shown = relative(cwd, file);
  if (!/\.[cm]?ts$/.test(file)) {
    throw new NotUnderstood(`${shown} is not TypeScript.`);
  }
  return { root: packageRootOf(dirname(file)) ?? cwd, sources, file, shown, className };
}

function chosen(
  projects: readonly Project[],
  { cwd, root, name }: { readonly cwd: string; readonly root: string; readonly name: string | undefined },
): Project {
  const names = projects.map((project) => project.name).join(', ');
  const around = projects.filter(({ sources }) =>
    `${resolve(cwd)}${sep}`.startsWith(`${dirname(sources)}${sep}`),
  );
  const candidates =
    name !== undefined
      ? projects.filter((project) => project.name === name)
      : around.length === 1
        ? around
        : projects;
  const [one, ...others] = candidates;
  if (one === undefined) {
    throw new CliError(
      name === undefined
        ? `There is no Nest application in ${root}: no file src/main.ts calls NestFactory.create(). Run it in the folder ` +
            'of your application, or name the file of its root module: --module=src/app.module.ts'
        : `There is no application ${name}. The applications are: ${names || 'none'}.`,
    );
  }
  if (others.length > 0) {
    throw new CliError(`There are several applications: ${names}. Choose one: --project=${one.name}`);
  }
  return one;
}

/** The applications in nest-cli.json, or all folders with an entry file. */
function projectsIn(root: string): Project[] {
  const { projects = {}, ...own } = nestCliIn(root);
  const configured = [
    ...Object.entries(projects)
      .filter(([, { type }]) => type !== 'library')
      .map(([name, settings]) => ({ name, ...settings })),
    { name: basename(root), ...own },
  ];
  const found = configured.flatMap(({ name, sourceRoot = 'src', entryFile = 'main' }) =>
    projectAt(name, join(root, sourceRoot), entryFile),
  );
  const unique = found.filter(({ entry }, i) => found.findIndex((one) => one.entry === entry) === i);
  return unique.length > 0 ? unique : scan(root, MAX_DEPTH);
}

function projectAt(name: string, sources: string, entryFile: string): Project[] {
  const entries = ['ts', 'mts', 'js', 'mjs'].map((ending) => join(sources, `${entryFile}.${ending}`));
  const entry = entries.find(isFile);
  return entry === undefined ? [] : [{ name, sources, entry }];
}

/** Nx and workspaces: folders whose `src/main.ts` starts Nest. */
function scan(folder: string, depth: number): Project[] {
  const folders = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !SKIPPED.test(entry.name),
  );
  return folders.flatMap(({ name }) => {
    const path = join(folder, name);
    const own = projectAt(name, join(path, 'src'), 'main').filter(({ entry }) =>
      readFileSync(entry, 'utf8').includes('@nestjs/core'),
    );
    return own.length > 0 || depth === 1 ? own : scan(path, depth - 1);
  });
}

function nestCliIn(root: string): NestCli {
  try {
    return JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8')) as NestCli;
  } catch {
    return {};
  }
}

/** The TypeScript files below a folder, without tests. */
export function* sourceFiles(folder: string): Generator<string> {
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.test(entry.name)) {
      yield* sourceFiles(path);
    } else if (/(?<!\.d|\.e2e-spec|\.spec|\.test)\.[cm]?ts$/.test(entry.name) && isFile(path)) {
      yield path;
    }
  }
}
