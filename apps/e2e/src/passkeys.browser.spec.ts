import { beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { freePorts } from 'test-support';
import { sharedChromium } from './chromium.js';
import { PasskeysPage, PasskeysPageApp } from './passkeys-page.js';

const profile = sharedChromium();

describe.each([
  { platform: 'express', provider: 'jwt' },
  { platform: 'fastify', provider: 'session' },
] as const)('passkeys in Chromium, on $platform with $provider', (where) => {
  let app: PasskeysPageApp;
  beforeAll(async () => {
    const [port] = await freePorts(1);
    app = await new PasskeysPageApp(where, port!).start();
  });

  /** The page of a user who is logged in and has added a passkey. */
  async function registered(): Promise<{ page: PasskeysPage; username: string; context: BrowserContext }> {
    const { username } = await app.user();
    const context = await profile();
    const page = await PasskeysPage.open(context, app.url);
    await page.logIn(username);
    expect(JSON.parse(await page.call('add', { name: 'Laptop' }))).toMatchObject({
      name: 'Laptop',
      backedUp: true,
      deviceType: 'multi',
      transports: ['internal'],
    });
    return { page, username, context };
  }

  it('log in with a button', async () => {
    const { page, username } = await registered();
    await page.run('auth.logout()');
    expect(await page.who()).toBe('cancelled');
    await page.tab.click('button');
    await page.tab.locator(`output:text-is("${username}")`).waitFor();
    expect(await page.who()).toBe(JSON.stringify(username));
    await page.tab.reload();
    expect(await page.who()).toBe(JSON.stringify(username));
  });
});
