import semver from 'semver';
import type { InstalledPackage, Installation, PackageManager } from '../application/installation.js';
import { type Finding, problem } from './diagnosis.js';

const TELEMETRY = '@opentelemetry/api';

/** Compares the peers of each package of kit-auth, and this version of Node, with the ranges that it requires. */
export function checkVersions(installation: Installation, node = process.versions.node): Finding[] {
  const ours = installation.ours();
  if (!ours.some(({ name }) => name === 'kit-auth')) {
    return [problem(`kit-auth is not installed in ${installation.root}.`, 'npm install kit-auth')];
  }
  const nestMajor = installation.find('@nestjs/common')?.version.split('.')[0];
  return [
    ...engineProblems(ours, node),
    ...[...ours, ...installation.hosts()].flatMap((one) => peerProblems(one, installation, nestMajor)),
  ];
}

function engineProblems(ours: readonly InstalledPackage[], node: string): Finding[] {
  const ranges = new Set(ours.flatMap(({ manifest }) => manifest.engines?.['node'] ?? []));
  return [...ranges]
    .filter((range) => isInRange(node, range) === false)
    .map((range) =>
      problem(
        `This is Node ${node}. The packages of kit-auth need ${range}.`,
        'Install a version of Node in this range.',
      ),
    );
}

function peerProblems(
  one: InstalledPackage,
  installation: Installation,
  nestMajor: string | undefined,
): Finding[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = one.manifest;
  return Object.entries(peerDependencies).flatMap(([name, range]) => {
    // Resolved from the folder of the package itself.
    const peer = installation.find(name, one.folder);
    const wanted = `${one.name} ${one.version} needs ${name} ${range}`;
    if (peer === undefined) {
      const isOptional = peerDependenciesMeta[name]?.optional === true;
      return isOptional
        ? []
        : [problem(`${wanted}, which is not installed.`, install(name, range, nestMajor))];
    }
    return isInRange(peer.version, range) === false
      ? [problem(`${wanted}. Installed is ${peer.version}.`, install(name, range, nestMajor))]
      : [];
  });
}

/** npm would choose the newest version of the range. Packages of Nest need the major version of Nest. */
function install(name: string, range: string, nestMajor: string | undefined): string {
  const ofNest =
    name.startsWith('@nestjs/') && nestMajor !== undefined && isInRange(`${nestMajor}.999.999`, range);
  return `npm install ${ofNest === true ? `${name}@${nestMajor}` : `"${name}@${range}"`}`;
}

/** Looks for packages that are installed twice. Each copy has its own classes and symbols. */
export function checkCopies(installation: Installation, manager: PackageManager = 'npm'): Finding[] {
  const ours = installation.ours();
  const users = [...ours, ...installation.hosts()];
  const shared = new Set(ours.map(({ name }) => name));
  ['@nestjs/core', '@nestjs/common', '@nestjs/typeorm', 'typeorm'].forEach((name) => shared.add(name));
  return [
    ...[...shared].flatMap((name) => copiesOf(name, users, installation, manager)),
    ...telemetryCopies(ours, installation),
  ];
}

function copiesOf(
  name: string,
  users: readonly InstalledPackage[],
  installation: Installation,
  manager: PackageManager,
): Finding[] {
  const own = installation.find(name);
  if (own === undefined) {
    return [];
  }
  const others = users.flatMap((user) => {
    const copy = user.name !== name && uses(user, name) && installation.find(name, user.folder);
    return copy && copy.folder !== own.folder ? [{ user, copy }] : [];
  });
  if (others.length === 0) {
    return [];
  }
  const list = others.map(({ user, copy }) => `${user.name} loads ${copy.version} from ${copy.folder}`);
  return [
    problem(
      `There are several copies of ${name}, which do not know each other's classes: the application loads ` +
        `${own.version} from ${own.folder}; ${list.join('; ')}.`,
      `${manager === 'npm' ? 'npm ls' : `${manager} why`} ${name} shows who asks for which version. Install one that all of them take, then run npm dedupe.`,
    ),
  ];
}

/** Copies share one global API. A copy that was made for a newer version of the API does nothing. */
function telemetryCopies(ours: readonly InstalledPackage[], installation: Installation): Finding[] {
  const own = installation.find(TELEMETRY);
  return ours.flatMap((user) => {
    const copy = uses(user, TELEMETRY) && installation.find(TELEMETRY, user.folder);
    if (!own || !copy || copy.folder === own.folder || isInRange(own.version, `^${copy.version}`) !== false) {
      return [];
    }
    return problem(
      `${user.name} loads ${TELEMETRY} ${copy.version} from ${copy.folder}, and the application loads ${own.version}. ` +
        'Metrics and spans of the newer copy are lost.',
      `npm install "${TELEMETRY}@^${copy.version}", then npm dedupe`,
    );
  });
}

function uses({ manifest }: InstalledPackage, name: string): boolean {
  return name in { ...manifest.dependencies, ...manifest.peerDependencies };
}

/**
 * Compares a version with a range of npm. A pre-release counts as its release.
 *
 * @returns undefined for a version or a range in another form, such as a tag or a URL
 */
export function isInRange(version: string, range: string): boolean | undefined {
  const parsed = semver.parse(version);
  return parsed === null || semver.validRange(range) === null
    ? undefined
    : semver.satisfies(`${parsed.major}.${parsed.minor}.${parsed.patch}`, range);
}
