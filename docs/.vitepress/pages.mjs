// The documents that are pages of the site, and where each of them comes from.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY = 'https://github.com/kit-auth/kit-auth';
export const docs = join(import.meta.dirname, '..');
export const root = join(docs, '..');

/** Documents outside of docs/ that prepare.mjs copies to the site: the page, and the document. */
export const copies = new Map([
  ['contributing.md', 'CONTRIBUTING.md'],
  ['changelog.md', 'CHANGELOG.md'],
]);

/** The path of the document that a page shows, from the root of the repository. */
export function sourceOf(page) {
  return copies.get(page) ?? `docs/${page}`;
}

/** The pages by the path of their document. */
export function pagesBySource() {
  const pages = readdirSync(docs, { recursive: true })
    .filter((file) => file.endsWith('.md') && !/(^|\/)(node_modules|\.vitepress)\//.test(file))
    .map((page) => [sourceOf(page), page]);
  return new Map(pages);
}
