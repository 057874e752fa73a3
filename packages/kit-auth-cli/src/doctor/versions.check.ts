import semver from 'semver';
import { type Finding, problem } from './finding.js';
import type { InstalledPackage, Installation } from '../application/installation.js';

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

/** npm would choose the newest version of a range with several. Packages of Nest go with the version of Nest. */
function install(name: string, range: string, nestMajor: string | undefined): string {
  const ofNest =
    name.startsWith('@nestjs/') && nestMajor !== undefined && isInRange(`${nestMajor}.999.999`, range);
  return `npm install ${ofNest === true ? `${name}@${nestMajor}` : `"${name}@${range}"`}`;
}

/**
 * Whether a version is in a range of npm. A pre-release counts as its release.
 *
 * @returns undefined for a version or a range in another form, such as a tag or a URL
 */
export function isInRange(version: string, range: string): boolean | undefined {
  const parsed = semver.parse(version);
  return parsed === null || semver.validRange(range) === null
    ? undefined
    : semver.satisfies(`${parsed.major}.${parsed.minor}.${parsed.patch}`, range);
}
