// Takes the pictures of the demo: docs/pictures/demo-*.webp for the front page, and passkeys-*.webp for the guide of passkeys.
// Run it by hand after a change of the demo's page:
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
  await frontPage(await browser.newPage());
  await passkeys(await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 }));
} finally {
  await browser.close();
  demo.kill();
  await once(demo, 'exit');
  rmSync(folder, { recursive: true });
}

async function logIn(page) {
  await page.goto(`http://localhost:${port}/`);
  await page.fill('#username', 'admin');
  await page.fill('#password', 'admin');
  await page.click('#login button');
}

async function save(session, name, clip) {
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70, clip });
  writeFileSync(`docs/pictures/${name}.webp`, Buffer.from(data, 'base64'));
}

async function frontPage(page) {
  await logIn(page);
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
      await save(session, `demo-${colorScheme}${suffix}`, { x: 0, y: 0, ...size });
    }
  }
  await page.close();
}

/** The dialogs of browsers and systems are not part of the page, and each looks different. */
async function passkeys(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  });
  const saveElement = async (name, element) => {
    await page.evaluate('document.activeElement.blur()');
    await page.waitForLoadState('networkidle');
    const { x, y, width, height } = await page.locator(element).boundingBox(); // in the window
    const scrolled = await page.evaluate('scrollY');
    await save(session, name, { x, y: y + scrolled, width, height, scale: 1 });
  };
  await page.goto(`http://localhost:${port}/`);
  await saveElement('passkeys-login', '#guest:not([hidden])');
  await logIn(page);
  await page.fill('#passkey-name', 'My laptop');
  await page.click('#add-passkey button');
  await page.locator('#passkeys li').waitFor();
  await page.locator('#passkeys').scrollIntoViewIfNeeded();
  await saveElement('passkeys-account', '.card:has(#passkeys)');
  // As if the login were an hour old.
  await page.route('**/passkeys/*', (route) =>
    route.fulfill({ status: 401, json: { code: 40120, missing: ['password', 'passkey'] } }),
  );
  await page.click('#passkeys [data-is=remove]');
  await saveElement('passkeys-confirm', '#confirm[open]');
  await page.close();
}
