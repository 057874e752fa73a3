import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { coerce, intersects, major, minVersion, validRange } from 'semver';
import { Installation, type PackageManager } from '../application/installation.js';
import { CliError } from '../cli.error.js';
import { type Choices, DATABASES, EXTRAS, IMPLEMENTATIONS } from './wanted.js';

/** Arguments that add dependencies, and those that add dependencies for development. */
const COMMANDS = {
  npm: { add: ['install'], addDev: ['install', '--save-dev'] },
  pnpm: { add: ['add'], addDev: ['add', '--save-dev'] },
  yarn: { add: ['add'], addDev: ['add', '--dev'] },
  bun: { add: ['add'], addDev: ['add', '--dev'] },
} as const satisfies Readonly<Record<PackageManager, object>>;

/** Supported major versions of Nest → the matching versions of other packages. */
const PINNED: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  11: { '@nestjs/typeorm': '11', typeorm: '0.3', '@nestjs/jwt': '11' },
  12: { '@nestjs/typeorm': '12', typeorm: '1', '@nestjs/jwt': '12' },
};

/**
 * The commands that install what the application lacks. Each is the program and its arguments.
 *
 * @param root the folder of the application's package.json
 * @throws CliError for a version of Nest that is not supported
 */
export async function installCommands(
  root: string,
  { implementation, database, extras }: Choices,
): Promise<string[][]> {
  const installation = new Installation(root);
  const nest = nestOf(installation);
  const { manifest, declared } = installation;
  const has = { ...declared, ...manifest.peerDependencies };
  const lacking = (names: readonly string[]) =>
    names
      .filter((name) => !(name in has))
      .map((name) => (PINNED[nest]?.[name] === undefined ? name : `${name}@${PINNED[nest][name]}`));
  const { from } = IMPLEMENTATIONS[implementation];
  const packages = lacking([
    'kit-auth',
    from,
    ...(implementation === 'jwt' ? ['@nestjs/jwt'] : []),
    ...(database === 'existing' ? [] : ['@nestjs/typeorm', 'typeorm', DATABASES[database].driver]),
    ...extras.flatMap((extra) => [EXTRAS[extra].from, ...EXTRAS[extra].peers]),
  ]);
  const manager = await installation.manager();
  const { add, addDev } = COMMANDS[manager];
  const flags = rootFlags(manager, root, manifest);
  const command = (words: readonly string[], names: string[]) =>
    names.length === 0 ? [] : [[manager, ...words, ...flags, ...names]];
  return [...command(add, packages), ...command(addDev, lacking(['kit-auth-cli']))];
}

/** @throws CliError if the command fails */
export function runCommand(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): void {
  // Standard output is for results, so the package manager writes to standard error. On Windows, the programs are scripts.
  const { status, error } = spawnSync(program, args, {
    cwd,
    env,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    const why =
      error === undefined ? `has ended with ${status ?? 'a signal'}` : `cannot be started: ${error.message}`;
    throw new CliError(
      `\`${[program, ...args].join(' ')}\` ${why}. No source file was changed. Run it in ${cwd}, and then ` +
        '`kit-auth init` again.',
      1,
    );
  }
}

function nestOf(installation: Installation): number {
  const range = installation.declared['@nestjs/core'];
  const installed = installation.find('@nestjs/core')?.version;
  const version = coerce(installed) ?? (range !== undefined && validRange(range) ? minVersion(range) : null);
  if (version === null) {
    throw new CliError(
      `The version of Nest is not known: @nestjs/core is not installed in ${installation.root}. Install the ` +
        'dependencies of the application first.',
    );
  }
  // A range of the manifest may begin below the version that will be installed.
  const supported = Object.keys(PINNED).map(Number);
  const nest =
    supported.find((one) => one === major(version)) ??
    (installed === undefined ? supported.find((one) => intersects(range ?? '', `^${one}.0.0`)) : undefined);
  if (nest === undefined) {
    throw new CliError(`kit-auth needs Nest 11 or 12. The application has Nest ${major(version)}.`);
  }
  return nest;
}

/** pnpm and Yarn 1 do not add a dependency to the root of workspaces unless they are told to. */
function rootFlags(manager: PackageManager, root: string, manifest: object): string[] {
  if (manager === 'pnpm' && existsSync(join(root, 'pnpm-workspace.yaml'))) {
    return ['--workspace-root'];
  }
  const isYarn1 = manager === 'yarn' && !existsSync(join(root, '.yarnrc.yml'));
  return isYarn1 && 'workspaces' in manifest ? ['--ignore-workspace-root-check'] : [];
}
