import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundle, bundleBenchmark } from './request-cost/bundle.mjs';

const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache');
const GUARD = 'canActivate(context) {\n    let decision;';
let folder;
let now;

before(async () => {
  mkdirSync(CACHE, { recursive: true });
  folder = mkdtempSync(join(CACHE, 'request-cost-'));
  now = join(folder, 'now.mjs');
  await bundle(ROOT, now);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('a little more work in the guard is too slow', async () => {
  const code = readFileSync(now, 'utf8');
  assert.equal(code.split(GUARD).length, 2, 'the guard begins as this test expects');
  const slow = join(folder, 'slow.mjs');
  // Two microseconds on a fast machine, and a fifth of a request without a token on any.
  const work = 'for (let calls = 0; calls < 40; calls++) performance.now();';
  writeFileSync(slow, code.replace(GUARD, `canActivate(context) {\n    ${work}\n    let decision;`));
  const compare = await bundleBenchmark('compare.ts', join(folder, 'compare.mjs'));
  const args = ['--expose-gc', compare, '--rounds', '200', '--limit', '1.1', slow, now];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 1, stdout + stderr);
  assert.match(stderr, /known tokens.*no token.*open route/);
});
