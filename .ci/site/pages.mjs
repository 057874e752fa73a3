// Checks the built site: its links and their anchors, that the sidebar has every page, and what is for programs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REPOSITORY } from '../../docs/.vitepress/pages.mjs';

export const SITE = 'docs/.vitepress/dist';
/** The front page, whose text is in llms.txt, and the page of dead links. */
const NOT_IN_SIDEBAR = new Set(['/', '/404.html']);

/** The text of each page by its path, such as /guides/browsers.html. */
export const pages = new Map(
  readdirSync(SITE, { recursive: true })
    .filter((file) => file.endsWith('.html'))
    .map((file) => [`/${file}`.replace(/\/index\.html$/, '/'), readFileSync(join(SITE, file), 'utf8')]),
);

const all = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found.replaceAll('&amp;', '&'));
const ids = new Map([...pages].map(([path, html]) => [path, new Set(all(html, / id="([^"]+)"/g))]));

function check() {
  const [, sidebar] = /<aside class="VPSidebar"(.*?)<\/aside>/s.exec(pages.get('/start.html'));
  const listed = new Set(all(sidebar, / href="([^"]+)"/g));
  const problems = [...pages].flatMap(([path, html]) => [
    ...all(html, /<a [^>]*href="([^"]+)"/g).flatMap((href) => problemsOf(href, path)),
    ...(listed.has(path) || NOT_IN_SIDEBAR.has(path)
      ? []
      : [`${path} is not in docs/.vitepress/sidebar.mts`]),
    ...(NOT_IN_SIDEBAR.has(path) || existsSync(join(SITE, markdownOf(path)))
      ? []
      : [`${path} has no .md beside it`]),
  ]);
  const index = readFileSync(join(SITE, 'llms.txt'), 'utf8');
  const files = all(index, /\]\((\/[^)]+)\)/g);
  const dead = files.filter((file) => !existsSync(join(SITE, file)));
  return [
    ...new Set(problems),
    ...dead.map((file) => `llms.txt: ${file}: there is no such file`),
    ...(files.length > 0 ? [] : ['llms.txt has no links']),
  ];
}

/** Where an index page is /decisions/, its text is /decisions.md. */
function markdownOf(path) {
  return `${path.replace(/\/$|\.html$/, '')}.md`;
}

function problemsOf(href, from) {
  const own = `${REPOSITORY}/`;
  if (href.startsWith(own)) {
    const [, file] = /^(?:tree|blob|edit)\/main\/([^#]+)/.exec(href.slice(own.length)) ?? [];
    return file === undefined || existsSync(file) ? [] : [`${from}: ${href}: there is no such file`];
  }
  const { host, pathname, hash } = new URL(href, `http://site${from}`);
  if (host !== 'site') {
    return [];
  }
  const anchors = ids.get(pathname);
  if (anchors === undefined) {
    return existsSync(join(SITE, pathname)) ? [] : [`${from}: ${href}: there is no such page`];
  }
  return hash === '' || anchors.has(decodeURIComponent(hash.slice(1)))
    ? []
    : [`${from}: ${href}: there is no such heading`];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = check();
  problems.forEach((problem) => console.error(problem));
  console.log(`${pages.size} pages, ${problems.length} problems`);
  process.exitCode = problems.length === 0 && pages.size > 0 ? 0 : 1;
}
