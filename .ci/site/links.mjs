// Checks the relative links of all documents as GitHub follows them: the files and the anchors exist.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { documents } from '../files.mjs';
import { anchorOf, CODE, LINK } from '../../docs/.vitepress/markdown.mjs';

const problems = [];
let count = 0;
for (const document of documents) {
  const prose = readFileSync(document, 'utf8')
    .split(CODE)
    .filter((_, index) => index % 2 === 0)
    .join('');
  for (const [, link] of prose.matchAll(LINK)) {
    if (!/^[a-z]+:/.test(link)) {
      count++;
      problems.push(...problemsOf(document, link).map((problem) => `${document}: ${link}: ${problem}`));
    }
  }
}
problems.forEach((problem) => console.error(problem));
console.log(`${count - problems.length} of ${count} links between documents work on GitHub`);
process.exitCode = problems.length === 0 && count > 0 ? 0 : 1;

function problemsOf(document, link) {
  const [path, anchor] = link.split('#');
  const target = path === '' ? document : posix.join(posix.dirname(document), path);
  if (path.startsWith('/') || !existsSync(target)) {
    return ['there is no such file'];
  }
  if (anchor === undefined) {
    return [];
  }
  const page = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  return existsSync(page) && anchorsOf(page).has(anchor) ? [] : ['there is no such heading'];
}

/** A heading that repeats an earlier one has a number in its anchor. */
function anchorsOf(page) {
  const text = readFileSync(page, 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '');
  const anchors = new Map();
  for (const [, title] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(title.replaceAll(/\]\([^)]*\)/g, ''));
    const times = anchors.get(anchor) ?? 0;
    anchors.set(anchor, times + 1);
    if (times > 0) {
      anchors.set(`${anchor}-${times}`, 1);
    }
  }
  return anchors;
}
