import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { detect } from 'package-manager-detector/detect';

/** The content of a package.json. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly type?: string;
  readonly main?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
  readonly engines?: Readonly<Record<string, string>>;
  /** The module and the setup function of the application. */
  readonly 'kit-auth'?: unknown;
}

/** An installed package. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** The path without symbolic links, because Node compares such paths. */
  readonly folder: string;
  readonly manifest: Manifest;
}

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type PackageManager = (typeof MANAGERS)[number];

/** Packages that share classes or symbols with kit-auth, and have peers of their own. */
const HOSTS = ['@nestjs/core', '@nestjs/typeorm', '@nestjs/jwt'];

/** The packages that an application would load. Runs none of their code. */
export class Installation {
  /** @param root the folder of the application's `package.json` */
  constructor(readonly root: string) {}

  get manifest(): Manifest {
    return manifestIn(this.root) ?? {};
  }

  /** The packages that the application has in its `package.json`, with their versions. */
  get declared(): Readonly<Record<string, string>> {
    const { dependencies, devDependencies } = this.manifest;
    return { ...devDependencies, ...dependencies };
  }

  /** The packages of kit-auth that the application can load, the core first. */
  ours(): InstalledPackage[] {
    const names = [...Object.keys(this.declared), ...this.listed()];
    const ours = [...new Set(names)].filter((name) => /^kit-auth(-[a-z-]+)?$/.test(name)).sort();
    return ours.flatMap((name) => this.find(name) ?? []);
  }

  /** Packages that share the peers of ours, for example `@nestjs/typeorm`. */
  hosts(): InstalledPackage[] {
    return HOSTS.flatMap((name) => this.find(name) ?? []);
  }

  /** The package that a file in `from` loads as `name`. Undefined if it is not installed. */
  find(name: string, from = this.root): InstalledPackage | undefined {
    const folder = folderOf(name, from);
    const manifest = folder === undefined ? undefined : manifestIn(folder);
    return folder && manifest ? { name, version: manifest.version ?? '', folder, manifest } : undefined;
  }

  /** The package manager of the application or its workspace. Others than these four count as npm. */
  async manager(): Promise<PackageManager> {
    const found = await detect({
      cwd: this.root,
      strategies: ['packageManager-field', 'devEngines-field', 'lockfile'],
    });
    return MANAGERS.find((name) => name === found?.name) ?? 'npm';
  }

  private listed(): string[] {
    return (createRequire(join(this.root, 'x.js')).resolve.paths('x') ?? []).flatMap((folder) =>
      namesIn(folder),
    );
  }
}

/** The nearest folder at or above `from` with a `package.json`. */
export function packageRootOf(from: string): string | undefined {
  return parentsOf(from).find((folder) => existsSync(join(folder, 'package.json')));
}

function folderOf(name: string, from: string): string | undefined {
  const require = createRequire(join(from, 'x.js'));
  const folders = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name));
  const found = folders.find((folder) => existsSync(join(folder, 'package.json')));
  if (found !== undefined) {
    return realpathSync(found);
  }
  try {
    return realpathSync(dirname(require.resolve(`${name}/package.json`))); // without node_modules: Yarn's Plug'n'Play
  } catch {
    return undefined;
  }
}

function manifestIn(folder: string): Manifest | undefined {
  try {
    return parseJson(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A folder and its parents. */
export function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Parses JSON that may begin with a byte order mark. @throws SyntaxError */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/, ''));
}
