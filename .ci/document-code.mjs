// Compiles every TypeScript block of the documents, as written, against the sources of the packages.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const documents = spawnSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).stdout.trim().split('\n');
// Inside node_modules, so that the libraries are found and git does not see it.
const directory = 'node_modules/.cache/document-code';
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });

let count = 0;
for (const document of documents) {
  for (const [, , block] of readFileSync(document, 'utf8').matchAll(/^( *)```ts\n(.*?)^\1```/gms)) {
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
console.log(
  `${count} code blocks of ${documents.length} documents ${status === 0 ? 'compile' : 'do not compile'}`,
);
process.exit(count > 0 && status === 0 ? 0 : 1);
