import { existsSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import type { Plugin } from 'vite';
import { CODE, LINK } from './markdown.mjs';
import { docs, pagesBySource, REPOSITORY, root, sourceOf } from './pages.mjs';

/**
 * Makes the relative links of a document work on the site as they do in the repository. Links to documents that are
 * pages lead to the pages, and links to other files lead to the repository. Runs before other plugins, so that the
 * `.md` file beside a page has the same links.
 */
export function siteLinks(): Plugin {
  const pages = pagesBySource();
  return {
    name: 'kit-auth:site-links',
    enforce: 'pre',
    transform(text, id) {
      const page = relative(docs, id);
      if (!id.endsWith('.md') || page.startsWith('..')) {
        return null;
      }
      const folder = posix.dirname(sourceOf(page));
      return text
        .split(CODE)
        .map((part, index) =>
          index % 2 === 1
            ? part
            : part.replaceAll(LINK, (_, to: string) => `](${target(to, folder, pages)})`),
        )
        .join('');
    },
  };
}

function target(to: string, folder: string, pages: ReadonlyMap<string, string>): string {
  if (/^([a-z]+:|#|\/)/.test(to) || /\.(svg|webp)$/.test(to)) {
    return to;
  }
  const [path = '', hash] = to.split('#');
  const file = posix.join(folder, path).replace(/\/$/, '');
  const anchor = hash === undefined ? '' : `#${hash}`;
  const page = [file, `${file}/README.md`, `${file}/index.md`].map((it) => pages.get(it)).find(Boolean);
  if (page !== undefined) {
    return `/${page}${anchor}`;
  }
  return existsSync(join(root, file)) ? `${REPOSITORY}/tree/main/${file}${anchor}` : to;
}
