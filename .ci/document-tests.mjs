// Checks the tests that the documents name, such as [`login.spec.ts`](../login.spec.ts): `name of a test`, `another`.
// The file has to contain a test with exactly that name, which is not skipped.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documents } from './files.mjs';

const REFERENCE = /\[`[^`\]]+`\]\(([^)]+\.ts)\): (`[^`\n]+`(?:, `[^`\n]+`)*)/g;

const problems = [];
let count = 0;
for (const document of documents) {
  for (const [, link, names] of readFileSync(document, 'utf8').matchAll(REFERENCE)) {
    const file = join(dirname(document), link);
    const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
    for (const [, name] of names.matchAll(/`([^`]+)`/g)) {
      count++;
      if (!isTest(source, name)) {
        problems.push(`${document}: ${file} has no test "${name}"`);
      }
    }
  }
}
problems.forEach((problem) => console.error(problem));
console.log(`${count - problems.length} of ${count} tests that the documents name exist`);
process.exit(count > 0 && problems.length === 0 ? 0 : 1);

function isTest(source, name) {
  const text = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?:\b(?:it|test)|\)|\])\(\s*(['"\`])${text}\1`).test(source);
}
