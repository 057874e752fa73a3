import { beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContext, Route } from 'playwright-core';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';

const profile = sharedChromium();

const app = sharedTestApp(new ConsoleApp());
let context: BrowserContext;
let page: ConsoleTab;
let username: string;
const origin = () => `http://localhost:${app.port}`;

beforeAll(async () => {
  ({ username } = await app.administrator());
  context = await profile();
  page = await ConsoleTab.open(context, origin());
  await page.logIn(username);
});

/** Another administrator ends all logins of the user. */
async function endLogins(): Promise<void> {
  const { id } = await app.users.findOneByOrFail({ username });
  expect((await app.call(await app.adminToken(), 'DELETE', `users/${id}/sessions`)).status).toBe(204);
}

describe('a login that ends while a form is filled in', () => {
  const FIELDS = ['[name=username]', '[name=nickname]', 'main [name=password]'];
  const typed = () => Promise.all(FIELDS.map((field) => page.tab.inputValue(field)));

  it.each([
    ['gives the form back to the same user', true],
    ['gives it to nobody else', false],
  ])('%s', async (_, isSame) => {
    const values = ['half', 'Half a form', 'a right one 4711'];
    await page.load('users/~new');
    for (const [i, field] of FIELDS.entries()) {
      await page.tab.fill(field, values[i]!);
    }
    await endLogins();
    await page.press('Create user');
    await page.gate('Log in');
    await page.says('This session was ended.');
    await page.tab.keyboard.press('Escape');
    await page.tab.keyboard.press('Escape');
    await page.logIn(isSame ? username : 'admin');
    await page.tab
      .locator('.person')
      .filter({ hasText: isSame ? '' : /^admin$/ })
      .waitFor();
    expect([page.path, await typed()]).toEqual(['users/~new', isSame ? values : ['', '', '']]);
    await page.press('Log out');
    await page.logIn(username);
  });
});

describe('a page that was left', () => {
  it('logs in and out with another tab', async () => {
    await page.load(`users/${(await app.user()).id}`);
    await page.press('Delete user');
    const other = await ConsoleTab.open(context, origin(), 'roles');
    await other.shows('Roles');
    await other.press('Log out');
    await page.gate('Log in');
    await page.says('You are logged out.');
    expect([await page.tab.locator('main').innerText(), await page.dialog.count()]).toEqual(['', 0]);
    expect([await page.tab.innerText('.person'), await page.tab.title()]).toEqual(['', 'Administration']);
    await page.logIn(username);
    await other.tab.locator('dialog.gate').waitFor({ state: 'detached' });
    await other.shows('Roles');
    await other.tab.close();
  });

  it('shows nothing to whoever comes back after the login has ended', async () => {
    await page.load('users');
    await page.tab.goto(`${origin()}/v1/api/auth/me`);
    await endLogins();
    await page.tab.goBack();
    await page.gate('Log in');
    expect(await page.tab.evaluate("document.querySelector('main')?.innerText ?? ''")).toBe('');
    await page.logIn(username);
    await page.shows('Users');
  });
});

it('a list that is being searched keeps what is typed meanwhile', async () => {
  await page.load('audit');
  const held = new Promise<Route>(
    (resolve) => void page.tab.route('**/v1/api/auth/audit?**', resolve, { times: 1 }),
  );
  const asks = (text: string) => page.tab.waitForURL(({ hash }) => hash === `#/audit?subject=${text}`);
  await page.tab.focus('#filter-subject');
  await page.tab.keyboard.type('ad');
  await page.tab.keyboard.press('Enter');
  await asks('ad');
  await page.tab.keyboard.type('min');
  await page.tab.keyboard.press('ArrowLeft');
  await (await held).fallback();
  await page.settled();
  await page.tab.keyboard.type('x');
  expect(await page.tab.inputValue('#filter-subject')).toBe('admixn');
  await page.tab.keyboard.press('Backspace');
  await page.tab.keyboard.press('Enter');
  await asks('admin');
  await page.settled();
  expect(await page.tab.inputValue('#filter-subject')).toBe('admin');
});
