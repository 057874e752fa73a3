// Fails if a request costs more than 1.1 times what it cost at the commit in .ci/request-cost.base: that of the last release,
// and before the first release, the last one that made requests cheaper. Change the commit with each release, and when a
// change is worth its cost, with the reason.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, bundleBenchmark } from './request-cost/bundle.mjs';

const LIMIT = '1.1';
const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache');

const base = readFileSync(join(import.meta.dirname, 'request-cost.base'), 'utf8').trim();
if (spawnSync('git', ['cat-file', '-e', `${base}^{commit}`], { cwd: ROOT }).status !== 0) {
  console.error(
    `The commit ${base} of .ci/request-cost.base is not in this clone. In a shallow clone: git fetch --unshallow. ` +
      'If it is on no branch any more, write the commit of the last release into the file.',
  );
  process.exit(1);
}
mkdirSync(CACHE, { recursive: true });
const folder = mkdtempSync(join(CACHE, 'request-cost-'));
try {
  const archive = execFileSync('git', ['archive', base, 'packages'], { cwd: ROOT, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const [here, there] = [join(folder, 'here.mjs'), join(folder, 'there.mjs')];
  await bundle(ROOT, here);
  await bundle(folder, there);
  const compare = await bundleBenchmark('compare.ts', join(folder, 'compare.mjs'));
  const args = ['--expose-gc', compare, '--limit', LIMIT, here, there];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
