// Takes the pictures of the demo for the front page, docs/pictures/demo-*.webp. Run it by hand after a change of the demo's page:
// npx nx build demo && node .ci/site/screenshot.mjs
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/** As docs/index.md shows them. */
const SIZES = {
  '': { width: 1280, height: 800, scale: 1.5 },
  '-phone': { width: 390, height: 780, scale: 2 },
};

const folder = mkdtempSync(join(tmpdir(), 'kit-auth-demo-'));
const demo = spawn(process.execPath, ['apps/demo/dist/main.js'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: `sqlite:${folder}/demo.sqlite`, NO_COLOR: '1' },
});
const port = await new Promise((resolve, reject) => {
  let output = '';
  demo.stdout.on('data', (chunk) => {
    output += chunk;
    const [, found] = /Listening on http:\/\/[^:]+:(\d+)/.exec(output) ?? [];
    if (found !== undefined) resolve(found);
  });
  demo.once('exit', () => reject(new Error(`The demo has not started: ${output}`)));
});
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`);
  await page.fill('#username', 'admin');
  await page.fill('#password', 'admin');
  await page.click('#login button');
  // A refusal in words.
  await page.check('#send-as [value=damaged]');
  await page.click('#routes [aria-label="Send GET /v1/notes"]');
  await page.locator('#answer').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.waitForLoadState('networkidle');
  const session = await page.context().newCDPSession(page);
  for (const [suffix, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const { data } = await session.send('Page.captureScreenshot', {
        format: 'webp',
        quality: 70,
        clip: { x: 0, y: 0, ...size },
      });
      writeFileSync(`docs/pictures/demo-${colorScheme}${suffix}.webp`, Buffer.from(data, 'base64'));
    }
  }
} finally {
  await browser.close();
  demo.kill();
  await once(demo, 'exit');
  rmSync(folder, { recursive: true });
}
