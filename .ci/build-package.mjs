// Builds the package in the folder given: ES modules into dist/esm, CommonJS into dist/cjs.
// docs/decisions/0002-two-builds-one-copy.md says why, and which of the two an application loads.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILDS = {
  esm: [],
  // Also turns import() into require(). Types are checked once, and source maps come with the modules that Node loads.
  cjs: ['--module', 'commonjs', '--moduleResolution', 'bundler', '--noCheck', '--sourceMap', 'false'],
};

const [, , root] = process.argv;
const { bin = {}, main } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// A package without `main` is a program, not a library: ES modules only.
const builds = Object.entries(BUILDS).filter(([name]) => name === 'esm' || main !== undefined);
rmSync(join(root, 'dist'), { recursive: true, force: true });
for (const [name, flags] of builds) {
  const args = ['-p', join(root, 'tsconfig.build.json'), '--outDir', join(root, 'dist', name), ...flags];
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...args], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}
if (main !== undefined) {
  writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');
}
// npm makes programs executable when it installs them. Whoever unpacks a tarball does not.
Object.values(bin).forEach((program) => chmodSync(join(root, program), 0o755));
