// Compiles every TypeScript block of the documents, as written, against the sources of the packages and the libraries of
// docs/package.json. What a block uses and does not show is in a comment above it: <!-- ts ... -->. A block below a
// comment such as <!-- examples/drizzle/src/app.module.ts --> is a part of that file, word for word. It is not compiled
// here: .ci/examples compiles and tests the file, or e2e does.
// Blocks of the language `typescript` are not compiled here either: a row of the matrix has to follow their page.
// Also checks that each output in the documents is compared with a real one: a row of the matrix follows the page, a spec
// in apps/e2e/src/guides reads it, or answers.spec.ts has the name in the comment above the block.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { documents } from './files.mjs';
import { rows } from './matrix/rows.mjs';

const GUIDES = 'apps/e2e/src/guides';
/** An answer anywhere, or a text after commands. The first group is the line before it. */
const OUTPUT = /([^\n]*)\n\n *```(?:json|http|(?<=^ *```\n\n *```)text)\n(.*?)^ *```$/gms;
/** A block, with its indentation, and the comment with the code that it does not show. */
const BLOCK = /^( *)(?:<!-- ts\n(.*?)^ *-->\n\n\1)?```ts\n(.*?)^\1```/gms;
/** What a block declares for the whole program, such as the type of all user ids. */
const DECLARATION = /^ *declare (?:module '|global )/m;

if (!existsSync('docs/node_modules')) {
  console.error('The libraries of the documents are not installed: npm ci --prefix docs');
  process.exit(1);
}
// Inside both node_modules, so that the libraries are found and git does not see it.
const directory = 'docs/node_modules/.cache/document-code';
const programs = [`${directory}/blocks`, `${directory}/declarations`];
rmSync(directory, { recursive: true, force: true });
programs.forEach((program) => mkdirSync(program, { recursive: true }));

const followers = Object.values(rows).flatMap(({ commands }) =>
  commands.filter((command) => command.includes('follow.mjs')),
);
const readers = readdirSync(GUIDES).map((file) => readFileSync(`${GUIDES}/${file}`, 'utf8'));
const areOf = (texts, document) => texts.some((text) => new RegExp(`[/']${document}`).test(text));

const stale = [];
let count = 0;
let excerpts = 0;
for (const document of documents) {
  const text = readFileSync(document, 'utf8');
  for (const [, file, block] of text.matchAll(
    /^<!-- ((?:examples|apps\/e2e)\/\S+) -->\n\n```\w+\n(.*?)^```/gms,
  )) {
    excerpts++;
    if (!readFileSync(file, 'utf8').includes(block)) {
      stale.push(`${document}: a block is not in ${file}:\n${block}`);
    }
  }
  for (const [, before, block] of areOf([...followers, ...readers], document) ? [] : text.matchAll(OUTPUT)) {
    if (!/^<!-- (answer|body): /.test(before)) {
      stale.push(
        `${document}: nothing compares this with what really happens (see CONTRIBUTING.md):\n${block}`,
      );
    }
  }
  const own = text.replace(/^<!-- (?:examples|apps\/e2e)\/\S+ -->\n\n```.*?^```/gms, '');
  for (const [, , hidden = '', block] of own.matchAll(BLOCK)) {
    const program = programs[DECLARATION.test(hidden + block) ? 1 : 0];
    const name = `${document.replaceAll('/', '-')}-${++count}`;
    writeFileSync(`${program}/${name}.ts`, `${hidden}${block}\nexport {};\n`);
  }
  if (/^ *```typescript$/m.test(own) && !areOf(followers, document)) {
    stale.push(`${document}: nothing compiles a typescript block, write ts (see CONTRIBUTING.md)`);
  }
}
const compile = (program) => {
  writeFileSync(`${program}/package.json`, '{ "type": "module" }');
  writeFileSync(
    `${program}/tsconfig.json`,
    JSON.stringify({
      extends: relative(program, 'tsconfig.base.json'),
      compilerOptions: {
        noUnusedLocals: false,
        noUnusedParameters: false,
        typeRoots: [relative(program, 'node_modules/@types')], // not the versions in docs/node_modules
      },
      include: ['*.ts'],
    }),
  );
  const tsc = ['-p', program, '--pretty', 'false'];
  const { status, stdout, stderr } = spawnSync('node_modules/.bin/tsc', tsc, { encoding: 'utf8' });
  // Declarations for an application may not fit our sources, which it does not compile.
  const errors = stdout.replaceAll(/^packages\/.*\n(?: .*\n)*/gm, '') + stderr;
  if (errors !== '') console.error(errors);
  return errors === '' && (status === 0 || stdout !== '');
};
const isCompiled = programs.map(compile).every(Boolean);
rmSync(directory, { recursive: true });
stale.forEach((problem) => console.error(problem));
console.log(
  `${count} code blocks of ${documents.length} documents ${isCompiled ? 'compile' : 'do not compile'}, ` +
    `${excerpts - stale.length} of ${excerpts} are as in their files`,
);
process.exit(count > 0 && isCompiled && stale.length === 0 ? 0 : 1);
