// Opens the built site in Chromium, as phones and desktops show it.
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { pages, SITE } from './pages.mjs';

const ORIGIN = 'http://docs.localhost';
const WIDTHS = [390, 1440];
const TABS = 2;
/** What a search has to find first. */
const GUIDES = {
  'refresh token': '/guides/refresh-tokens',
  'login throttle': '/guides/login-throttle',
  'second factor': '/guides/',
};
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/** Some pages of a kind stand for all: the API reference comes from one template, and decisions are plain text. */
const isOpened = (path) =>
  !/^\/(reference\/api|decisions)\//.test(path) ||
  /\/(api\/|decisions\/|kit-auth\.html|kit-auth\/extend\.html)$/.test(path);

const problems = new Set();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});

/** A page that gets its files from the folder of the site, and notes what it should not do. */
async function open(options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const note = (problem) => problems.add(`${new URL(page.url()).pathname}: ${problem}`);
  await context.route('**/*', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    const wanted = decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    const file = [join(SITE, wanted)].find((path) => extname(path) !== '' && existsSync(path));
    if (origin !== ORIGIN) {
      note(`requests ${route.request().url()}`);
      await route.abort();
    } else if (file === undefined) {
      note(`requests ${pathname}, which is not there`);
      await route.fulfill({ status: 404 });
    } else {
      await route.fulfill({ body: readFileSync(file), contentType: TYPES[extname(file)] });
    }
  });
  page.on('pageerror', ({ message }) => note(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) note(message.text());
  });
  return { page, note };
}

const isMounted = () => document.querySelector('#app')?.__vue_app__ !== undefined;

/** Whether the page is wider than the window, and what makes it so. */
async function checkWidth({ page, note }, width) {
  await page.setViewportSize({ width, height: 900 });
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const outside = [...document.querySelectorAll('.vp-doc *')].find(
      (element) =>
        element.getBoundingClientRect().right > clientWidth && element.closest('pre, table') === null,
    );
    return scrollWidth > clientWidth
      ? (outside?.outerHTML.slice(0, 200) ?? 'outside of the text')
      : undefined;
  });
  if (wide !== undefined) note(`scrolls to the side at ${width} pixels: ${wide}`);
}

const left = [...pages.keys()].filter((path) => isOpened(path) && path !== '/404.html');
const count = left.length;
async function openAll() {
  const tab = await open();
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    await tab.page.goto(ORIGIN + path);
    await tab.page.waitForFunction(isMounted);
    for (const width of WIDTHS) {
      await checkWidth(tab, width);
    }
  }
}

async function checkDark() {
  const { page, note } = await open({ colorScheme: 'dark', viewport: { width: 1440, height: 900 } });
  await page.goto(`${ORIGIN}/start.html`);
  await page.waitForFunction(isMounted);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.getByRole('switch', { name: /theme/ }).first().click();
  const light = await background();
  const [darkest] = [dark, light].map((color) => Math.max(...color.match(/\d+/g).map(Number)));
  if (darkest > 60 || light !== 'rgb(255, 255, 255)') note(`dark mode: ${dark}, and then ${light}`);
}

/** Guides come before decisions and the changelog, which use the same words. */
async function checkSearch() {
  const { page, note } = await open({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${ORIGIN}/`);
  await page.waitForFunction(isMounted);
  await page.keyboard.press('/');
  for (const [words, guide] of Object.entries(GUIDES)) {
    await page.getByRole('searchbox').fill(words);
    const isFirst = (wanted) => document.querySelector('.results a')?.getAttribute('href').startsWith(wanted);
    await page
      .waitForFunction(isFirst, guide)
      .catch(() => note(`the search for "${words}" does not begin with ${guide}`));
  }
}

await Promise.all([...Array.from({ length: TABS }, openAll), checkDark(), checkSearch()]);
await browser.close();
problems.forEach((problem) => console.error(problem));
console.log(`${count} pages opened in Chromium, ${problems.size} problems`);
process.exitCode = problems.size === 0 && count > 0 ? 0 : 1;
