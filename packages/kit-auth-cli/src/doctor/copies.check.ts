import { type Finding, problem } from './finding.js';
import type { InstalledPackage, Installation } from '../application/installation.js';
import { isInRange } from './versions.check.js';

const TELEMETRY = '@opentelemetry/api';

/** Looks for packages that are installed twice. Each copy has its own classes and symbols. */
export function checkCopies(installation: Installation): Finding[] {
  const ours = installation.ours();
  const users = [...ours, ...installation.hosts()];
  const shared = new Set(ours.map(({ name }) => name));
  ['@nestjs/core', '@nestjs/common', '@nestjs/typeorm', 'typeorm'].forEach((name) => shared.add(name));
  return [
    ...[...shared].flatMap((name) => copiesOf(name, users, installation)),
    ...telemetryCopies(ours, installation),
  ];
}

function copiesOf(name: string, users: readonly InstalledPackage[], installation: Installation): Finding[] {
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
      `${installation.why(name)} shows who asks for which version. Install one that all of them take, then run npm dedupe.`,
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
