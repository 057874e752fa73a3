// Fails if a request costs more than 1.1 times what it cost at the commit in .ci/request-cost.base, which is that of the
// last release. Change the commit with each release, and when a change is worth its cost, with the reason.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { emptyFolder } from './pack.mjs';

const LIMIT = '1.1';
const ROOT = join(import.meta.dirname, '..');
const PACKAGES = ['kit-auth', 'kit-auth-jwt'];

const base = readFileSync(join(import.meta.dirname, 'request-cost.base'), 'utf8').trim();
if (spawnSync('git', ['cat-file', '-e', `${base}^{commit}`], { cwd: ROOT }).status !== 0) {
  console.error(`The commit ${base} of .ci/request-cost.base is not in this clone: git fetch --unshallow`);
  process.exit(1);
}
const folder = emptyFolder('request-cost');
const checkout = join(folder, 'checkout');
const compare = join(ROOT, 'node_modules/.cache/kit-auth-compare.mjs');
try {
  run('npx', ['nx', 'run-many', '-t', 'build', `--projects=${PACKAGES}`, '--output-style=static']);
  run('git', ['worktree', 'add', '--detach', checkout, base]);
  linkModules(checkout);
  for (const name of PACKAGES) {
    run(process.execPath, ['.ci/build-package.mjs', `packages/${name}`], checkout);
  }
  // By esbuild, because tsc needs the libraries that the benchmark compares with.
  buildSync({
    entryPoints: [join(ROOT, 'apps/bench/src/compare.ts')],
    outfile: compare,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  const args = [compare, '--limit', LIMIT, ROOT, checkout];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
} finally {
  spawnSync('git', ['worktree', 'remove', '--force', checkout], { cwd: ROOT });
  rmSync(folder, { recursive: true, force: true });
}

/** The dependencies of this checkout, so that both have the same copy of Nest, and packages of the other's own. */
function linkModules(checkout) {
  const [from, to] = [ROOT, checkout].map((root) => join(root, 'node_modules'));
  const own = new Set(readdirSync(join(checkout, 'packages')));
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    symlinkSync(own.has(name) ? join(checkout, 'packages', name) : join(from, name), join(to, name));
  }
  for (const name of PACKAGES) {
    symlinkSync(
      join(ROOT, 'packages', name, 'node_modules'),
      join(checkout, 'packages', name, 'node_modules'),
    );
  }
}

function run(command, args, cwd = ROOT) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
}
