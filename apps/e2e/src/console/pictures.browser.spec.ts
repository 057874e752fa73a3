import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sharedChromium } from '../browser/chromium.js';
import { BUSY, consoleOfCompany } from './people.js';
import { ConsoleTab } from './tab.js';

const FOLDER = 'docs/pictures';
const GUIDE = 'docs/guides/console.md';
const WINDOW = { width: 1280, height: 800, scale: 1.5 };
const PHONE = { width: 390, height: 780, scale: 2 };

interface Picture {
  /** Below the console. */
  readonly path: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly size?: typeof WINDOW;
  /** What opens a dialog. */
  readonly click?: string;
}

const PICTURES: Readonly<Record<string, Picture>> = {
  'console-users': { path: 'users' },
  'console-user': { path: 'users/{id}' },
  'console-sessions': { path: 'users/{id}/sessions' },
  'console-factors': { path: 'users/{id}/factors', click: 'main .danger' },
  'console-audit': { path: 'audit?type=login-failed', colorScheme: 'dark' },
  'console-phone': { path: 'users/{id}/sessions', colorScheme: 'dark', size: PHONE },
};
const profile = sharedChromium();

describe('the pictures of the console', () => {
  it('are those of the guide', () => {
    const shown = [...readFileSync(GUIDE, 'utf8').matchAll(/\/(console-\w+)\.webp/g)].map(([, name]) => name);
    expect(shown.sort()).toEqual(Object.keys(PICTURES).sort());
    for (const name of shown) {
      expect(readFileSync(`${FOLDER}/${name}.webp`).toString('latin1', 8, 12)).toBe('WEBP');
    }
  });

  // After a change of the page: TAKE_PICTURES=1 npx jest --selectProjects e2e-browser console-pictures
  (process.env['TAKE_PICTURES'] ? it : it.skip)('are taken', async () => {
    const { app, ids } = await consoleOfCompany();
    const page = await ConsoleTab.open(await profile(), app.origin);
    const { tab } = page;
    await page.logIn();
    const session = await tab.context().newCDPSession(tab);
    for (const [name, { path, colorScheme = 'light', size = WINDOW, click }] of Object.entries(PICTURES)) {
      const { width, height, scale } = size;
      await tab.setViewportSize({ width, height });
      await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.show(path.replace('{id}', String(ids.get(BUSY))));
      if (click !== undefined) {
        await tab.click(click);
        await tab.locator('dialog[open]').waitFor();
      }
      const { data } = await session.send('Page.captureScreenshot', {
        format: 'webp',
        quality: 70,
        clip: { x: 0, y: 0, width, height, scale },
      });
      writeFileSync(`${FOLDER}/${name}.webp`, Buffer.from(data, 'base64'));
    }
  });
});
