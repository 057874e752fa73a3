import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { freePorts } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';

declare const document: any, getComputedStyle: any;

const MAX_STEPS = 60;
const NAME = 'keyboard@example.com';
const PASSWORD = 'a first one 4711';
const profile = sharedChromium();

describe('the console, by keyboard alone', () => {
  let app: ConsoleApp;
  let page: ConsoleTab;
  let tab: Page;
  beforeAll(async () => {
    const [ownPort] = await freePorts(1);
    app = await new ConsoleApp({ extras: ALL_EXTRAS, ownPort: ownPort! }).start();
  });
  beforeEach(async () => {
    page = await ConsoleTab.open(await profile(), app.origin);
    ({ tab } = page);
    await tab.keyboard.type('admin');
    await tab.keyboard.press('Tab');
    await tab.keyboard.type('admin');
    await tab.keyboard.press('Enter');
    await headed('Users');
  });

  /** Waits until the heading of a page has the focus. */
  async function headed(text: string): Promise<void> {
    await tab.locator('h1:focus').getByText(text, { exact: true }).waitFor();
  }

  /** Goes on with Tab until an element has the focus, which has to be visible and to show that it has it. */
  async function reach(selector: string, key = 'Tab'): Promise<void> {
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      await tab.keyboard.press(key);
      if (await tab.evaluate((it) => document.activeElement.matches(it), selector)) {
        const focused = tab.locator(':focus');
        expect(await focused.isVisible()).toBe(true);
        const outline = await focused.evaluate((it: any) => getComputedStyle(it).outlineStyle as string);
        expect(outline).not.toBe('none');
        return;
      }
    }
    throw new Error(`Nothing leads to ${selector}`);
  }

  const press = async (selector: string, key = 'Enter') => {
    await reach(selector);
    await tab.keyboard.press(key);
  };
  const said = (text: string) => tab.locator('[role=status]').getByText(text, { exact: true }).waitFor();

  it('creates a user and deletes the user', async () => {
    await press('a[href$="/users/~new"]');
    await headed('New user');
    await reach('[name=username]');
    await tab.keyboard.type(NAME);
    await reach('[name=nickname]');
    await tab.keyboard.type('Kim');
    await reach('[name=password]');
    await tab.keyboard.type('short');
    await tab.keyboard.press('Enter');
    await tab.locator('[name=password][aria-invalid=true]:focus').waitFor();
    expect(await tab.locator('[role=alert] li').allInnerTexts()).toEqual(['First password']);
    const described = (await tab.getAttribute('[name=password]', 'aria-describedby'))!.split(' ');
    expect(await tab.innerText(`[id="${described[1]}"]`)).toBe('Use at least 8 characters.');
    await tab.keyboard.press('Control+A');
    await tab.keyboard.type(PASSWORD);
    await press('main form .primary');
    await headed('Kim');
    await said('The user is created.');

    await press('.action:last-child .danger');
    await tab.locator('dialog [name=typed]:focus').waitFor();
    await tab.keyboard.press('Escape');
    await tab.locator('main .action:last-child .danger:focus').waitFor();
    await tab.keyboard.press('Enter');
    await tab.locator('dialog [name=typed]:focus').waitFor();
    const seen = new Set<string>();
    for (let i = 0; i < 8; i++) {
      await tab.keyboard.press('Tab');
      seen.add(
        await tab.evaluate(() =>
          document.activeElement.closest('dialog') ? 'dialog' : document.activeElement.tagName,
        ),
      );
    }
    seen.delete('BODY'); // the window of the browser
    expect([...seen]).toEqual(['dialog']);
    await reach('dialog [name=typed]');
    await tab.keyboard.type(NAME);
    await press('dialog .danger');
    await headed('Users');
    await said('The user is deleted.');
    expect((await app.login(NAME, PASSWORD)).status).toBe(401);
  });

  it('skips to the contents, and finds the search from anywhere', async () => {
    await page.load('account');
    await headed('Your account');
    await tab.evaluate(() => document.querySelector('.skip').focus());
    expect(await tab.locator('.skip').boundingBox()).toMatchObject({ y: expect.any(Number) });
    await tab.keyboard.press('Enter');
    await headed('Your account');
    await tab.keyboard.press('Control+k');
    await tab.locator('#search:focus').waitFor();
    await tab.keyboard.type('admin');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(({ hash }) => hash === '#/users?q=admin');
    await said('1 entry');
    expect(await tab.locator('#search').evaluate((it: any) => it === document.activeElement)).toBe(true);
  });
});
