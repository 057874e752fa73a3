// Jest's `globalSetup`. Applications serve the clients and catalogs of packages to browsers as files of `dist`. This writes
// them there, so that tests need no build. What is newer than its source stays.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';

export default function writeClients() {
  for (const name of readdirSync('packages')) {
    const folder = join('packages', name);
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const entry of Object.values(exports)) {
      const source = join(folder, entry['@kit-auth/source'] ?? '');
      const target = join(folder, entry.import?.default ?? entry.default ?? '');
      if (/\/client\.ts$|\.json$/.test(source) && !isNewer(target, source)) {
        mkdirSync(dirname(target), { recursive: true });
        const text = readFileSync(source, 'utf8');
        writeFileSync(target, source.endsWith('.ts') ? transformSync(text, { loader: 'ts' }).code : text);
      }
    }
  }
}

function isNewer(target, source) {
  return (statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0) > statSync(source).mtimeMs;
}
