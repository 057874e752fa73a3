// Does in an application what pages tell their readers: node follow.mjs docs/start.md docs/guides/command-line.md
// It writes the files of the first page, runs the commands from `npm start` on, and those of the other pages, and compares
// what they print. Not the commands that make the application and install packages: the row of the matrix has them.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const START = 'npm start\n';
const END_OF_BLOCK = '=== end of block ===';

const version = JSON.parse(readFileSync('package.json', 'utf8')).type === 'module' ? 12 : 11;

/** The blocks for this version of Nest, each with the paragraph before it. */
function blocksOf(page) {
  const blocks = [...page.matchAll(/((?:[^\n]+\n)*)\n```(\w+)\n(.*?)^```$/gms)];
  return blocks
    .map(([, lead, language, text]) => ({ lead, language, text }))
    .filter(({ lead }) => [undefined, String(version)].includes(/With Nest (\d+)[^.]*:\n$/.exec(lead)?.[1]));
}

const outputOf = (next) => (['json', 'text'].includes(next?.language) ? next : undefined);

/** A line such as `import ... from './app.service.js'; // Nest 11: './app.service'` has both versions. */
function forVersion(code) {
  return code.replace(/'[^']*'; \/\/ Nest 11: ('[^']*')/g, (both, other) =>
    version === 11 ? `${other};` : both,
  );
}

/** Whether a text is as on the page, where `…` stands for anything. */
function isLike(wanted, actual) {
  const parts = wanted.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(actual);
}

/** The times, addresses and versions on a page are samples. */
function withoutSamples(value) {
  return JSON.stringify(JSON.parse(value))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"address":"[^"]+"/g, '"address":"<address>"')
    .replace(/curl\/[\d.]+/g, 'curl/<version>');
}

const linesOf = (text) =>
  text
    .replace(/\x1b\[[\d;]*m/g, '')
    .split('\n')
    .map((column) => column.trim().replace(/\s+/g, ' '));

/** The lines of a page that an output lacks. A line may go on after a space: Jest adds the time to slow files. */
function missingLines(wanted, actual) {
  const lines = linesOf(actual);
  return linesOf(wanted).filter(
    (line) => line !== '' && !lines.some((other) => isLike(line, other) || isLike(`${line} …`, other)),
  );
}

function compare({ text: command }, { language, text: wanted }, actual) {
  const isSame =
    language === 'json'
      ? isLike(withoutSamples(wanted), withoutSamples(actual))
      : missingLines(wanted, actual).length === 0;
  if (!isSame) {
    throw new Error(`The page has another output\n$ ${command}${actual}\nOn the page:\n${wanted}`);
  }
  console.log(`ok: ${command.split('\n')[0]}`);
}

async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

async function answers(port) {
  return fetch(`http://localhost:${port}`).then(
    () => true,
    () => false,
  );
}

/** Starts the application, and waits until it has printed what is on the page, and answers. */
async function start(port, wanted) {
  const application = spawn('npm', ['start'], { detached: true, env: { ...process.env, PORT: port } });
  let output = '';
  [application.stdout, application.stderr].forEach((stream) => stream.on('data', (data) => (output += data)));
  const isReady = async () => missingLines(wanted, output).length === 0 && (await answers(port));
  for (const end = Date.now() + 90_000; !(await isReady()); await setTimeout(100)) {
    if (application.exitCode !== null || Date.now() > end) {
      stop(application);
      throw new Error(
        `npm start does not print [${missingLines(wanted, output).join(', ')}] or answer:\n${output}`,
      );
    }
  }
  console.log('ok: npm start');
  return application;
}

function stop({ pid, exitCode }) {
  if (exitCode === null) process.kill(-pid); // npm, nest and the application
}

const [first, ...others] = process.argv.slice(2).map((page) => blocksOf(readFileSync(page, 'utf8')));
for (const { lead, language, text } of first) {
  const [, file] = /`(src\/[^`]+\.ts)`/.exec(lead) ?? [];
  if (['ts', 'typescript'].includes(language) && file !== undefined) writeFileSync(file, forVersion(text));
}
execFileSync('tsc', ['--noEmit'], { stdio: 'inherit' });

const [{ output: printed }, ...commands] = [
  ...first.slice(first.findIndex(({ text }) => text === START)),
  ...others.flat(),
]
  .map((block, i, blocks) => ({ ...block, output: outputOf(blocks[i + 1]) }))
  .filter(({ language, text }) => language === 'sh' && !text.startsWith('npm install'));
const port = await freePort();
const application = await start(port, printed?.text ?? '');
try {
  // The page shows how a command fails, so it may fail where there is an output to compare.
  const script = commands.map(
    ({ text, output }) =>
      `{\n${text}} 2>&1 ${output === undefined ? '' : '|| :'}\nprintf '\\n${END_OF_BLOCK}\\n'\n`,
  );
  const shell = ['-euc', script.join('').replaceAll('localhost:3000', `localhost:${port}`)];
  const outputs = execFileSync('bash', shell, { encoding: 'utf8' }).split(`\n${END_OF_BLOCK}\n`);
  commands.forEach((command, i) => {
    if (command.output !== undefined) compare(command, command.output, outputs[i]);
  });
} finally {
  stop(application);
}
