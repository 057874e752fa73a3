import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import semver from 'semver';

interface Manifest {
  readonly peerDependencies?: Record<string, string>;
}

const ROOT = join(import.meta.dirname, '../../../..');
const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
const PARTS_OF_NEST = ['common', 'core', 'microservices', 'websockets'];
/** Nest 11 has the same ranges as the installed version. */
const ALLOWED = PARTS_OF_NEST.flatMap((part) =>
  Object.entries(manifestIn(`node_modules/@nestjs/${part}`).peerDependencies ?? {}),
).filter(([name]) => !name.startsWith('@nestjs/'));

describe('peer dependencies', () => {
  it.each(readdirSync(join(ROOT, 'packages')))('of %s take what Nest takes', (name) => {
    const { peerDependencies = {} } = manifestIn(`packages/${name}`);
    const refused = ALLOWED.filter(([peer, range]) => {
      const own = peerDependencies[peer];
      const oldest = range.split('||').map((part) => semver.minVersion(part)?.version ?? '');
      return own !== undefined && range !== '*' && !oldest.every((version) => semver.satisfies(version, own));
    });
    expect(refused).toEqual([]);
  });
});
