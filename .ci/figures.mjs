// Prints how large the project is: node .ci/figures.mjs. The figures are for a look at a change, and refuse nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { KERNEL } from '../.dependency-cruiser.mjs';

const CORE = 'packages/kit-auth/src/';
/** Folders that have left the kernel since it was first counted. A request or a login still enters them. */
const FORMER_KERNEL = ['passwords', 'manager', 'endpoints', 'account'];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && ts.sys.fileExists(file));
const read = (file) => readFileSync(file, 'utf8');
const sum = (some, count) => some.reduce((total, file) => total + count(read(file)), 0);

const code = files.filter((file) => /^(packages|apps\/(demo|e2e)|test-support)\/.*\.[cm]?[jt]s$/.test(file));
const isTest = (file) => /^(apps\/e2e|test-support)\/|\.spec\.ts$/.test(file);
const product = code.filter((file) => !isTest(file));
const tests = code.filter(isTest);
const [productLines, testLines] = [sum(product, codeLines), sum(tests, codeLines)];

const kernel = [...Object.keys(KERNEL), ...FORMER_KERNEL].map((folder) => `${CORE}${folder}/`);
const inKernel = product.filter((file) =>
  kernel.some((folder) => file.startsWith(folder) && !file.startsWith(`${CORE}typeorm/`)),
);
const reports = files.filter((file) => /^packages\/kit-auth\/api\/.*\.api\.md$/.test(file));
const names = (report) =>
  new Set([...report.matchAll(/^export (?:abstract )?\w+ (\w+)/gm)].map(([, name]) => name)).size;
const documents = files.filter((file) => file.endsWith('.md') && !file.includes('/api/'));

console.log(`kernel: ${sum(inKernel, codeLines)} lines of code in ${inKernel.length} files`);
console.log(`packages and demo: ${productLines} lines of code in ${product.length} files`);
console.log(
  `tests: ${testLines} lines of code in ${tests.length} files, ${(testLines / productLines).toFixed(2)} for a line of product`,
);
console.log(
  `documents: ${sum(documents, (text) => text.split(/\s+/).length)} words in ${documents.length} files`,
);
for (const report of reports) {
  console.log(`${basename(report, '.api.md').padEnd(24)} ${names(read(report))} names`);
}

/** How many lines hold code: anything but blanks, comments and imports. */
function codeLines(text) {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const lines = new Set();
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isJSDoc(node)) {
      return;
    }
    const children = node.getChildren(source);
    children.forEach(visit);
    if (children.length === 0 && node.getWidth(source) > 0) {
      for (let line = lineOf(node.getStart(source)); line <= lineOf(node.getEnd()); line++) {
        lines.add(line);
      }
    }
  };
  visit(source);
  return lines.size;
}
