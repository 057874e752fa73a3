import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { freezeDate, sharedTestApp, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp } from './app.js';
import { enrol } from './factors.js';
import { ConsoleTab } from './tab.js';

const profile = sharedChromium();

describe('what stands before the console', () => {
  const app = sharedTestApp(new ConsoleApp({ platform: 'fastify', extras: ['factors'] }));
  const origin = () => `http://localhost:${app.port}`;
  let context: BrowserContext;
  let page: ConsoleTab;
  let later: (milliseconds: number) => void;
  beforeAll(async () => {
    later = freezeDate();
    context = await profile();
    page = await ConsoleTab.open(context, origin());
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  async function endLoginsOf(username: string): Promise<void> {
    const { id } = await app.users.findOneByOrFail({ username });
    expect((await app.call(await app.adminToken(), 'DELETE', `users/${id}/sessions`)).status).toBe(204);
  }

  it('asks for a login that ends while the page is shown', async () => {
    const { username } = await app.administrator();
    await page.load();
    await page.logIn(username);
    await page.tab.route(
      '**/v1/api/auth/users?**',
      async (route) => {
        await endLoginsOf(username);
        await route.fallback();
      },
      { times: 1 },
    );
    await page.tab.reload();
    await page.gate('Log in');
    await page.says('This session was ended.');
    await page.logIn(username);
    await page.shows('Users');
    await page.press('Log out');
    await page.gate('Log in');
  });

  it('asks for a login that ends while a new password is chosen', async () => {
    const { username } = await app.administrator({ mustChangePassword: true });
    await page.load();
    await page.enter(username);
    await page.gate('Choose a new password');
    await endLoginsOf(username);
    await page.tab.fill('dialog.gate [name=currentPassword]', 'a right one 4711');
    await page.tab.fill('dialog.gate [name=newPassword]', 'a new one 4711 of mine');
    await page.tab.fill('dialog.gate [name=again]', 'a new one 4711 of mine');
    await page.tab.click('dialog.gate form .primary');
    await page.gate('Log in');
    await page.says('This session was ended.');
  });

  it('sends what a form contains when it is tried again', async () => {
    const { username } = await app.administrator();
    await page.load();
    const [outage, refusals] = [{ code: 50300, error: 'UNAVAILABLE' }, { times: 1 }];
    await page.tab.route(
      '**/v1/api/auth/login',
      (route) => route.fulfill({ status: 503, json: outage }),
      refusals,
    );
    await page.enter(username, 'a wrong one 4711');
    await page.tab.fill('dialog.gate [name=password]', 'a right one 4711');
    await page.tab.click('dialog.gate button:text("Try again")');
    await page.shows('Users');
    await page.press('Log out');
    await page.gate('Log in');
  });

  it('says that nobody was logged out while there is no network', async () => {
    const { username } = await app.user();
    await page.load();
    await page.enter(username);
    await page.gate('No access');
    await context.setOffline(true);
    await page.tab.click('dialog.gate button:text("Log out")');
    await page.says('There is no connection to the server.');
    await context.setOffline(false);
    await page.tab.click('dialog.gate button:text("Try again")');
    await page.gate('Log in');
  });

  it('counts down after too many attempts', async () => {
    const tab = await ConsoleTab.open(await profile(), origin());
    const { username: locked } = await app.administrator();
    // The clock of the server stands still, so the wait is not over before the page asks.
    for (let i = 0; i < 10; i++) {
      later(16_000);
      await app.login(locked, 'a wrong one 4711');
    }
    await tab.enter(locked);
    await tab.says(/You can try again in (3[0-2]|2\d) seconds/);
    const button = tab.tab.locator('dialog.gate button:text("Try again")');
    expect(await button.isDisabled()).toBe(true);
    const text = () => tab.tab.locator('dialog.gate [aria-live=off]').innerText();
    const before = await text();
    await tab.tab.locator('dialog.gate [aria-live=off]').filter({ hasNotText: before }).waitFor();
    await tab.tab.close();
    later(32_000);
  });

  it('takes codes as apps show them', async () => {
    const user = await app.administrator();
    const { secret } = await enrol(app, user);
    later(60_000);
    await page.load();
    await page.enter(user.username);
    const code = totpCode(secret, Date.now());
    await page.tab.fill('dialog.gate [name=code]', `${code.slice(0, 3)} ${code.slice(3)}`);
    await page.tab.click('dialog.gate form .primary');
    await page.shows('Users');
  });
});
