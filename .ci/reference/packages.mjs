// The packages: what each adds, from the table of README.md, and its peers, from its package.json.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { code, table } from './sources.mjs';

/** Peers that every Nest application has, and the core, which is a peer of all other packages. */
const EVERYWHERE = new Set(['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs', 'kit-auth']);
const NEST = '^11.0.0 || ^12.0.0';
const ROW = /^\| \[`(\S+)`\]\(\S+\) +\| (.*?) +\|$/gm;

const adds = new Map(
  [...readFileSync('README.md', 'utf8').matchAll(ROW)].map(([, name, text]) => [name, text]),
);
const manifests = new Map(
  readdirSync('packages').map((name) => [
    name,
    JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')),
  ]),
);
const forgotten = [...manifests].flatMap(([name, manifest]) =>
  manifest.private === true || adds.has(name) ? [] : [name],
);
if (forgotten.length > 0) {
  throw new Error(`The table of packages in README.md lacks ${forgotten.join(', ')}.`);
}

/** @param columns of a table @param document that contains it, so that links begin there */
export function packagesIn(columns, document) {
  const folder = posix.dirname(document);
  const rows = [...adds].map(([name, text]) => ({
    package: code(name),
    adds: text.replaceAll(/\]\(([^)]+)\)/g, (_, target) => `](${posix.relative(folder, target)})`),
    peers: peersOf(manifests.get(name)),
  }));
  return table(columns.split(', '), rows);
}

function peersOf({ peerDependencies, peerDependenciesMeta = {} }) {
  const peers = Object.entries(peerDependencies)
    .filter(([name]) => !EVERYWHERE.has(name))
    .map(([name, range]) => ({
      text: range === NEST ? code(name) : `${code(name)} ${versionsOf(range)}`,
      isOptional: peerDependenciesMeta[name]?.optional === true,
    }));
  const list = (isOptional) =>
    peers
      .filter((peer) => peer.isOptional === isOptional)
      .map(({ text }) => text)
      .join(', ');
  return [list(false), list(true).replace(/^(?=.)/, 'optional: ')].filter(Boolean).join('; ') || 'none';
}

/** `^0.3.20 || ^1.0.0` as 0.3.20 or 1. */
function versionsOf(range) {
  const versions = range.split(' || ').map((version) => version.replace(/^\^(.+?)(\.0)*$/, '$1'));
  return versions.join(', ').replace(/, ([^,]+)$/, ' or $1');
}
