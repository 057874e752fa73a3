import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import type { BrowserContext } from 'playwright-core';
import { freezeDate, sharedTestApp, sweepOf } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';

const profile = sharedChromium();

const app = sharedTestApp(
  new ConsoleApp({ platform: 'fastify', extras: ALL_EXTRAS.filter((it) => it !== 'passkeys') }),
);
let context: BrowserContext;
let page: ConsoleTab;
let id: number;

beforeAll(async () => {
  freezeDate();
  await app.role({ code: 'writer', name: 'A writer', permissions: ['note:write'] });
  for (let i = 0; i < 45; i++) {
    const letters = String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26));
    const user = await app.user({ username: `person-${letters}`, roles: i % 3 === 0 ? ['writer'] : [] });
    id = user.id;
    await app.rowsOf(AuthAudit).save({
      type: 'login',
      success: i % 2 === 0,
      at: new Date(),
      actorId: String(id),
      actor: user.username,
      subjectId: String(id),
      subject: user.username,
    });
  }
  context = await profile();
  page = await ConsoleTab.open(context, `http://localhost:${app.port}`);
  await page.logIn('admin');
});
afterAll(() => {
  jest.useRealTimers();
});

interface State {
  /** Where somebody comes from. */
  readonly from: string;
  readonly act: () => Promise<unknown>;
  /** The address that follows. `{id}` is the last user. */
  readonly path: string;
}

const select = (name: string, value: string) => page.tab.selectOption(`main [name=${name}]`, value);
const fill = (name: string, value: string) => page.tab.fill(`main [name=${name}]`, value);
const tab = (label: string, name: string): State => ({
  from: 'users/{id}',
  act: () => page.tab.click(`main nav a:text-is("${label}")`),
  path: `users/{id}/${name}`,
});

const STATES: Record<string, State> = {
  'a search': {
    from: 'users',
    act: async () => {
      await fill('q', 'person-a');
      await page.press('Search');
    },
    path: 'users?q=person-a',
  },
  'users with a role': { from: 'users', act: () => select('role', 'writer'), path: 'users?role=writer' },
  'users with a status': {
    from: 'users',
    act: () => select('status', 'DISABLED'),
    path: 'users?status=DISABLED',
  },
  'a filter of a search': {
    from: 'users?q=person-b',
    act: () => select('role', 'writer'),
    path: 'users?q=person-b&role=writer',
  },
  'the next page': { from: 'users', act: () => page.press('Next'), path: 'users?page=2' },
  'another size': {
    from: 'users?size=20&page=2',
    act: () => page.tab.selectOption('#page-size', '50'),
    path: 'users?size=50',
  },
  'a user': { from: 'users?q=person-sb', act: () => page.press('person-sb'), path: 'users/{id}' },
  'a new user': { from: 'users', act: () => page.press('New user'), path: 'users/~new' },
  roles: tab('Roles', 'roles'),
  sessions: tab('Sessions', 'sessions'),
  'second factors': tab('Second factors', 'factors'),
  keys: tab('API keys', 'keys'),
  identities: tab('Linked accounts', 'identities'),
  events: tab('Events', 'events'),
  'sorted roles': { from: 'roles', act: () => page.press('Name'), path: 'roles?sort=name' },
  'roles the other way round': { from: 'roles', act: () => page.press('Code'), path: 'roles?sort=-code' },
  'a role': { from: 'roles', act: () => page.press('writer'), path: 'roles/writer' },
  'a new role': { from: 'roles', act: () => page.press('New role'), path: 'roles/~new' },
  invitations: { from: 'users', act: () => page.press('Invitations'), path: 'invitations' },
  'a new invitation': { from: 'invitations', act: () => page.press('Invite'), path: 'invitations/~new' },
  'events of a user': {
    from: 'users/{id}/events',
    act: () => page.press('All events about this user'),
    path: 'audit?subject=person-sb',
  },
  'filtered events': {
    from: 'audit',
    act: async () => {
      await select('type', 'login');
      await fill('actor', 'person-sb');
      await fill('from', '2020-01-01T00:00');
      await page.press('Search');
    },
    path: 'audit?actor=person-sb&type=login&from=2020-01-01T00%3A00',
  },
  'a page of filtered events': {
    from: 'audit?type=login&size=20',
    act: () => page.press('Next'),
    path: 'audit?type=login&size=20&page=2',
  },
  'the own account': { from: 'users', act: () => page.press('Your account'), path: 'account' },
};

/** One of each kind. A sweep has all. */
const KINDS = sweepOf(Object.keys(STATES), [
  'a filter of a search',
  'the next page',
  'sessions',
  'roles the other way round',
  'a new invitation',
  'filtered events',
]);

describe('the address of the console', () => {
  it.each(KINDS)('names %s: after a reload, back again, and in another tab', async (name) => {
    const { from, act, path } = STATES[name]!;
    const target = path.replace('{id}', String(id));
    const text = (of = page) => of.tab.locator('main').innerText();
    await page.load(from.replace('{id}', String(id)));
    await page.tab.evaluate('localStorage.clear()');
    const before = await text();
    await act();
    await page.tab.waitForURL(`${page.url}/${target}`);
    await page.answers();
    const shown = await text();
    expect(shown).not.toBe(before);
    const title = await page.tab.title();

    await page.tab.reload();
    await page.tab.locator('main h1').waitFor();
    expect(await text()).toBe(shown);

    await page.tab.goBack();
    await page.answers();
    expect(await text()).toBe(before);
    await page.tab.goForward();
    await page.answers();
    expect(await text()).toBe(shown);

    const other = await ConsoleTab.open(context, `http://localhost:${app.port}`, target);
    expect(await text(other)).toBe(shown);
    expect(await other.tab.title()).toBe(title);
    await other.tab.close();
  });
});
