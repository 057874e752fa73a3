// Opens the built site in Chromium, as phones show it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const SITE = 'docs/.vitepress/dist';
const ORIGIN = 'http://docs.localhost';
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};
// The API reference comes from one template.
const paths = readdirSync(SITE, { recursive: true }).filter(
  (file) => file.endsWith('.html') && !/^reference\/api\/.*\//.test(file),
);
const problems = new Set();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
const note = (problem) => problems.add(`${new URL(page.url()).pathname}: ${problem}`);
await page.route('**/*', (route) => {
  const { origin, pathname } = new URL(route.request().url());
  const file = join(SITE, decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
  if (origin === ORIGIN && existsSync(file)) {
    return route.fulfill({ body: readFileSync(file), contentType: TYPES[extname(file)] });
  }
  note(`requests ${origin}${pathname}`);
  return route.abort();
});
page.on('pageerror', ({ message }) => note(message));
page.on('console', (message) => {
  if (['error', 'warning'].includes(message.type())) note(message.text());
});

for (const path of paths) {
  await page.goto(`${ORIGIN}/${path}`);
  await page.waitForFunction(() => document.querySelector('#app')?.__vue_app__ !== undefined);
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth };
  });
  if (scrollWidth > clientWidth) note('scrolls to the side');
}

// Guides come before decisions and the changelog, which use the same words.
await page.goto(`${ORIGIN}/start.html`);
await page.keyboard.press('/');
await page.getByRole('searchbox').fill('refresh token');
await page
  .locator('.results a[href*="/guides/refresh-tokens"]')
  .first()
  .waitFor({ timeout: 20_000 })
  .catch(() => note('the search does not find the guide to refresh tokens'));

await browser.close();
problems.forEach((problem) => console.error(problem));
console.log(`${paths.length} pages opened in Chromium, ${problems.size} problems`);
process.exitCode = problems.size === 0 && paths.length > 0 ? 0 : 1;
