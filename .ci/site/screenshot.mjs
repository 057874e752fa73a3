// Takes the pictures of the demo for the front page: docs/pictures/demo-light.webp and demo-dark.webp. Run it by hand after a
// change of the demo's page, after npx nx build demo.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const SIZE = { width: 1280, height: 800 };

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
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ colorScheme, viewport: SIZE });
    const page = await context.newPage();
    await page.goto(`http://localhost:${port}/`);
    await page.fill('#username', 'admin');
    await page.fill('#password', 'admin');
    await page.click('#login button');
    await page.locator('#sessions li').first().waitFor();
    await page.waitForLoadState('networkidle');
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
    writeFileSync(`docs/pictures/demo-${colorScheme}.webp`, Buffer.from(data, 'base64'));
    await context.close();
  }
} finally {
  await browser.close();
  demo.kill();
  await once(demo, 'exit');
  rmSync(folder, { recursive: true });
}
