// Changes the kernel in small ways, and shows which changes no unit spec notices: node .ci/mutation.mjs [folder...]
// --every=3 takes every third mutant only. --least=97 fails if fewer percent of them are noticed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { KERNEL } from '../.dependency-cruiser.mjs';

const SOURCE = resolve('packages/kit-auth/src');
/** The exit code of a process that leaves the rest to another one. */
const RESTART = 75;
/** In seconds of this process. Longer than any test without a mutant. */
const MAX_SILENCE = 90;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' }, least: { type: 'string', default: '0' } },
});
const kernel = Object.keys(KERNEL);
const folders = positionals.length > 0 ? positionals : kernel;
const filesIn = (folder) =>
  readdirSync(join(SOURCE, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(SOURCE, folder, name));
const isSpec = (file) => file.endsWith('.spec.ts');
const files = folders.flatMap(filesIn).filter((file) => !isSpec(file));
const specs = [...new Set([...kernel, ...folders])].flatMap(filesIn).filter(isSpec);

const directory = mkdtempSync(join(tmpdir(), 'mutation-'));
const journal = join(directory, 'journal');
process.env.MUTATION_RUN = JSON.stringify({ files, every: Number(values.every), journal });
const { run } = await import('./mutation/run.mjs');

for (let code; code !== 0;) {
  code = await walk();
  if (![0, RESTART, null].includes(code)) {
    process.exit(code);
  }
}
const outcomes = new Map(
  readFileSync(journal, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map(({ id, outcome }) => [id, outcome]),
);
const mutants = [...run.mutants.values()].map((mutant) => ({ ...mutant, outcome: outcomes.get(mutant.id) }));
for (const { file, line, from, to, outcome } of mutants.filter(({ outcome }) => outcome !== 'killed')) {
  console.log(`${file.slice(SOURCE.length + 1)}:${line}  ${outcome}\n    ${from}\n    ${to}`);
}
for (const folder of [...folders, '']) {
  const inFolder = mutants.filter(({ file }) => file.startsWith(join(SOURCE, folder)));
  const killed = inFolder.filter(({ outcome }) => outcome === 'killed').length;
  const percent = ((100 * killed) / inFolder.length).toFixed(1);
  console.log(`${(folder || 'all').padEnd(12)} ${killed} of ${inFolder.length} killed (${percent} %)`);
  if (folder === '' && Number(percent) < Number(values.least)) process.exitCode = 1;
}
rmSync(directory, { recursive: true });

/** Runs Jest until it ends, or until a mutant hangs, which the next run leaves out. @returns its exit code */
async function walk() {
  const jest = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--config=.ci/mutation/jest.config.ts',
      '--runInBand',
      '--runTestsByPath',
      ...specs,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise((done) => jest.once('exit', done));
  const current = `${journal}.current`;
  let seen = 0;
  let silence = 0;
  const watch = setInterval(() => {
    const { size } = existsSync(current) ? statSync(current) : { size: 0 };
    silence = size === seen ? silence + 1 : 0;
    seen = size;
    const id =
      size > 0 && silence > MAX_SILENCE ? Number(readFileSync(current, 'utf8').trim().split('\n').at(-1)) : 0;
    if (id > 0) {
      run.record({ id, outcome: 'killed' });
      rmSync(current);
      jest.kill('SIGKILL');
    }
  }, 1000);
  const code = await ended;
  clearInterval(watch);
  return code;
}
