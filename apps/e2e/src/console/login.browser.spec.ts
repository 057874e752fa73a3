import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freePorts, freezeDate, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { addPasskey, enrol } from './factors.js';
import { ConsoleTab } from './tab.js';
import { VirtualAuthenticator } from '../passkeys/virtual-authenticator.js';

const profile = sharedChromium();
const STEP_MS = 30_000;

describe('the login of the console', () => {
  let app: ConsoleApp;
  let later: (milliseconds: number) => void;
  beforeAll(async () => {
    later = freezeDate();
    app = await new ConsoleApp({
      platform: 'fastify',
      provider: 'session',
      extras: ALL_EXTRAS,
      console: { requireSecondFactor: true },
      ownPort: (await freePorts(1))[0]!,
    }).start();
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  const opened = async () => ConsoleTab.open(await profile(), app.origin);

  async function answer(page: ConsoleTab, code: string): Promise<void> {
    await page.tab.fill('dialog.gate [name=code]', code);
    await page.tab.click('dialog.gate form .primary');
  }

  it('takes a passkey as second factor, with a button, and from the field of the name', async () => {
    const user = await app.administrator();
    const { secret, recoveryCodes } = await enrol(app, user);
    later(2 * STEP_MS);
    const page = await opened();
    const device = await VirtualAuthenticator.of(page.tab);
    await page.enter(user.username);
    await answer(page, '000000');
    await page.says('40113');
    await answer(page, totpCode(secret, Date.now()));
    await page.shows('Users');
    await addPasskey(page.tab);

    await device.setPresence(false); // nobody chooses one from the field
    await page.press('Log out');
    await page.enter(user.username);
    await page.tab.selectOption('dialog.gate [name=factor]', 'recovery');
    await answer(page, recoveryCodes[0]!);
    await page.shows('Users');

    await page.press('Log out');
    await page.enter(user.username);
    await device.setPresence(true);
    await page.tab.click('dialog.gate button:text("Use a passkey")');
    await page.shows('Users');

    await device.setPresence(false);
    await page.press('Log out');
    await page.gate('Log in');
    await device.setPresence(true);
    await page.tab.click('dialog.gate button:text("Log in with a passkey")');
    await page.shows('Users');

    await page.press('Log out');
    await page.shows('Users'); // the authenticator chooses at once
    await page.tab.locator('dialog.gate').waitFor({ state: 'detached' });
  });

  it('asks for a new password where an administrator has set the last one, then for a second factor', async () => {
    const user = await app.administrator({ mustChangePassword: true });
    const page = await opened();
    await page.enter(user.username);
    await page.gate('Choose a new password');
    await page.tab.keyboard.press('Escape');
    await page.tab.keyboard.press('Escape');
    await page.tab.fill('dialog.gate [name=currentPassword]', 'a right one 4711');
    await page.tab.fill('dialog.gate [name=newPassword]', 'a new one 4711 of mine');
    await page.tab.fill('dialog.gate [name=again]', 'a new one 4711 of mine');
    await page.tab.click('dialog.gate form .primary');
    await page.gate('Second factor needed');
    expect(await page.tab.locator('main').count()).toBe(0);
    await page.tab.click('dialog.gate button:text("Log out")');
    await page.gate('Log in');
  });
});
