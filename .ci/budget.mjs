// Counts the code of the kernel, and traces which files of our packages the requests of the demo pass through. Fails
// above the limits, and if docs/layout.md has other numbers; with --write, it writes them there.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import prettier from 'prettier';
import { FEATURES, KERNEL } from '../.dependency-cruiser.mjs';
import { sizeOf } from './budget/code-lines.mjs';

const CORE = 'packages/kit-auth/src';
const DOCUMENT = 'docs/layout.md';
const PART = /(<!-- budget -->\n)(.*?)(?=<!-- end of budget -->)/s;

/** Lower a limit when its number has fallen. Raise none without a reason in the commit. */
export const LIMITS = {
  // Credentials by issuer and paths under /.well-known added 140 lines, and the ring of keys up to 4 files.
  // Sentences for people added the port to the kernel, and up to 2 files to journeys.
  kernelLines: 4290,
  files: { token: 25, 'API key': 29, login: 63, reset: 67, 'second factor': 64 },
};

/**
 * What is above its limit, each as a sentence.
 *
 * @param {{ kernel: Record<string, { lines: number }>, journeys: Record<string, { files: number }> }} measured
 */
export function problemsOf({ kernel, journeys }, limits = LIMITS) {
  const lines = Object.values(kernel).reduce((sum, folder) => sum + folder.lines, 0);
  return [
    ...(lines > limits.kernelLines
      ? [`the kernel has ${lines} lines of code, more than ${limits.kernelLines}`]
      : []),
    ...Object.entries(limits.files).flatMap(([name, most]) => {
      const files = journeys[name]?.files;
      if (files === undefined) {
        return [`nothing was traced for the journey "${name}"`];
      }
      return files > most ? [`the journey "${name}" enters ${files} files, more than ${most}`] : [];
    }),
  ];
}

function measureKernel() {
  const nested = [...Object.keys(KERNEL), ...Object.keys(FEATURES)].map((name) => join(CORE, name));
  return Object.fromEntries(Object.keys(KERNEL).map((name) => [name, sizeOf(join(CORE, name), nested)]));
}

function measureJourneys() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@kit-auth/source', '.ci/budget/journeys.mjs'],
    { encoding: 'utf8', maxBuffer: 2 ** 26, timeout: 300_000 },
  );
  if (status !== 0) {
    throw new Error(`the demo could not be traced:\n${stderr.split('\n').slice(-20).join('\n')}`);
  }
  const traced = JSON.parse(stdout.trim().split('\n').at(-1));
  return Object.fromEntries(
    Object.entries(traced).map(([name, functions]) => [
      name,
      { functions: functions.length, files: new Set(functions.map((name) => name.split(':')[0])).size },
    ]),
  );
}

/** For the document: not what was traced, which may depend on the time. */
function tablesOf({ kernel }) {
  const folders = Object.entries(kernel);
  const sum = (key) => folders.reduce((total, [, size]) => total + size[key], 0);
  return [
    '| kernel folder | files | lines |',
    '| --- | ---: | ---: |',
    ...folders.map(([name, { files, lines }]) => `| \`${name}/\` | ${files} | ${lines} |`),
    `| together, at most ${LIMITS.kernelLines} lines | ${sum('files')} | ${sum('lines')} |`,
    '',
    '| journey | files at most |',
    '| --- | ---: |',
    ...Object.entries(LIMITS.files).map(([name, files]) => `| ${name} | ${files} |`),
  ].join('\n');
}

async function main() {
  const measured = { kernel: measureKernel(), journeys: measureJourneys() };
  const tables = tablesOf(measured);
  console.log(tables);
  console.table(measured.journeys);
  const problems = problemsOf(measured);
  const text = readFileSync(DOCUMENT, 'utf8');
  const written = await prettier.format(
    text.replace(PART, (_, begin) => `${begin}\n${tables}\n\n`),
    { ...(await prettier.resolveConfig(DOCUMENT)), filepath: DOCUMENT },
  );
  if (written !== text && process.argv.includes('--write')) {
    writeFileSync(DOCUMENT, written);
  } else if (written !== text) {
    problems.push(`${DOCUMENT} has other numbers: run node .ci/budget.mjs --write`);
  }
  problems.forEach((problem) => console.error(problem));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main();
}
