// Compiles every TypeScript block of the documents, as written, against the sources of the packages. A block below a
// comment such as <!-- examples/drizzle/src/app.module.ts --> is a part of that file, word for word. It is not compiled
// here: .ci/examples compiles and tests the file, or e2e does. Reports of api-extractor (*.api.md) are no documents.
// Also checks that each output in the documents is compared with a real one: a row of the matrix follows the page, a spec
// in apps/e2e/src/guides reads it, or answers.spec.ts has the name in the comment above the block.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rows } from './matrix/rows.mjs';

const GUIDES = 'apps/e2e/src/guides';
/** An answer anywhere, or a text after commands. The first group is the line before it. */
const OUTPUT = /([^\n]*)\n\n *```(?:json|http|(?<=^ *```\n\n *```)text)\n(.*?)^ *```$/gms;

const documents = spawnSync('git', ['ls-files', '*.md', ':!*.api.md'], { encoding: 'utf8' })
  .stdout.trim()
  .split('\n');
// Inside node_modules, so that the libraries are found and git does not see it.
const directory = 'node_modules/.cache/document-code';
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });

const followers = [
  ...Object.values(rows).flatMap(({ commands }) => commands.filter((it) => it.includes('follow.mjs'))),
  ...readdirSync(GUIDES).map((file) => readFileSync(`${GUIDES}/${file}`, 'utf8')),
];
const isFollowed = (document) => followers.some((it) => new RegExp(`[/']${document}`).test(it));

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
  for (const [, before, block] of isFollowed(document) ? [] : text.matchAll(OUTPUT)) {
    if (!/^<!-- (answer|body): /.test(before)) {
      stale.push(
        `${document}: nothing compares this with what really happens (see CONTRIBUTING.md):\n${block}`,
      );
    }
  }
  const own = text.replace(/^<!-- (?:examples|apps\/e2e)\/\S+ -->\n\n```.*?^```/gms, '');
  for (const [, , block] of own.matchAll(/^( *)```ts\n(.*?)^\1```/gms)) {
    const name = `${document.replaceAll('/', '-')}-${++count}`;
    writeFileSync(`${directory}/${name}.ts`, `${block}\nexport {};\n`);
  }
}
writeFileSync(`${directory}/package.json`, '{ "type": "module" }');
writeFileSync(
  `${directory}/tsconfig.json`,
  JSON.stringify({
    extends: '../../../tsconfig.base.json',
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ['*.ts'],
  }),
);
const { status } = spawnSync('node_modules/.bin/tsc', ['-p', directory], { stdio: 'inherit' });
rmSync(directory, { recursive: true });
stale.forEach((problem) => console.error(problem));
console.log(
  `${count} code blocks of ${documents.length} documents ${status === 0 ? 'compile' : 'do not compile'}, ` +
    `${excerpts - stale.length} of ${excerpts} are as in their files`,
);
process.exit(count > 0 && status === 0 && stale.length === 0 ? 0 : 1);
