/** @own-context because TypeORM creates the tables of all applications of a context */
import { beforeAll, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule } from 'kit-auth';
import { KitAuthUserListModule } from 'kit-auth-admin';
import { BOTH, PASSWORD, sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp, type ConsoleAppOptions } from './app.js';
import { ConsoleTab } from './tab.js';
import { OwnUsers, OwnUsersModule } from '../users/own-users.js';

const profile = sharedChromium();
const HASH = bcrypt.hashSync(PASSWORD, 10);

const open = async (app: ConsoleApp) => ConsoleTab.open(await profile(), `http://localhost:${app.port}`);
const navigation = (page: ConsoleTab) => page.tab.locator('header nav a').allInnerTexts();
const tabs = (page: ConsoleTab) => page.tab.locator('main nav.tabs a').allInnerTexts();

interface Application extends ConsoleAppOptions {
  readonly pages: readonly string[];
  readonly tabs: readonly string[];
}

const PAGES = ['Users', 'Roles', 'Audit log', 'Your account'];
const APPLICATIONS: Record<string, Application> = {
  'JWTs alone': { refresh: false, pages: PAGES, tabs: ['Account', 'Roles', 'Events'] },
  sessions: { provider: 'session', pages: PAGES, tabs: ['Account', 'Roles', 'Sessions', 'Events'] },
  'mails and invitations': {
    extras: ['email', 'registration'],
    pages: ['Users', 'Roles', 'Invitations', 'Audit log', 'Your account'],
    tabs: ['Account', 'Roles', 'Sessions', 'Events'],
  },
  'second factors and keys': {
    extras: ['factors', 'keys'],
    pages: PAGES,
    tabs: ['Account', 'Roles', 'Sessions', 'Second factors', 'API keys', 'Events'],
  },
};

describe.each(Object.entries(APPLICATIONS))('the console of an application with %s', (_name, expected) => {
  const { pages, tabs: parts, ...options } = expected;
  const app = sharedTestApp(new ConsoleApp(options));

  it('has the pages that exist, and asks for nothing else', async () => {
    const { id } = await app.user();
    const page = await open(app);
    await page.logIn('admin');
    page.forget();
    expect(await navigation(page)).toEqual(pages);
    for (const title of pages) {
      await page.press(title);
      await page.shows(title);
    }
    await page.load(`users/${id}`);
    expect(await tabs(page)).toEqual(parts);
    for (const title of parts) {
      await page.tab.click(`main nav a:text-is("${title}")`);
      await page.tab.locator(`main nav a[aria-current]:text-is("${title}")`).waitFor();
    }
    expect((await page.answers()).filter(({ outcome }) => outcome >= 400)).toEqual([]);
  });
});

describe('the console of an application that cannot list its sessions', () => {
  const app = sharedTestApp(
    new ConsoleApp({ session: { mode: 'stateless', secret: 'a secret for tests, of 32 bytes!' } }),
  );

  it('ends them', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const own = await app.adminToken();
    const page = await open(app);
    await page.logIn('admin');
    await page.load(`users/${user.id}/sessions`);
    await page.tab.getByText('This application cannot list its sessions.').waitFor();
    await page.press('End all sessions');
    await page.submit();
    await page.says('The sessions have ended.');
    expect(await app.stateOf(token)).toMatch('40101');

    await page.press('Your account');
    await page.tab.getByText('This application cannot list its sessions.').waitFor();
    await page.press('End all other sessions');
    await page.submit();
    await page.says('The sessions have ended.');
    expect(await app.stateOf(own)).toMatch('40101');
    await page.shows('Your account');
  });
});

const OWN_USERS: ConsoleAppOptions = {
  admin: false,
  extras: ['audit', 'keys'],
  core: KitAuthModule.forRoot({ users: OwnUsersModule, password: { cost: 10 } }),
};

/** A user who has a key, one who is disabled, and an administrator. */
async function moveIn(app: ConsoleApp): Promise<void> {
  const users = app.get(OwnUsers);
  users.insert({ id: 'usr_ada', name: 'Ada', hash: HASH, permissions: '["note:read"]' });
  users.insert({ id: 'usr/bob', name: 'Bob', hash: HASH, active: 0 });
  users.insert({ id: 'usr_root', name: 'chief', hash: HASH, roles: '["root"]' });
  await app.call(await app.tokenOf('Ada'), 'POST', 'keys', { name: 'Export', abilities: ['note:read'] });
}

describe.each(BOTH)('the console of an application with own users and their list on %s', (platform) => {
  const app = sharedTestApp(new ConsoleApp({ ...OWN_USERS, platform, imports: [KitAuthUserListModule] }));
  let page: ConsoleTab;
  beforeAll(async () => {
    await moveIn(app);
    page = await open(app);
    await page.logIn('chief');
    page.forget();
  });

  it('lists users by their status', async () => {
    expect(await navigation(page)).toEqual(['Users', 'Audit log', 'Your account']);
    const names = () => page.tab.locator('main tbody th a').allInnerTexts();
    expect(await names()).toEqual(expect.arrayContaining(['Ada', 'Bob', 'chief']));
    expect(await page.tab.locator('main [name=q], main [name=role]').count()).toBe(0);
    await page.tab.selectOption('main [name=status]', 'DISABLED');
    await page.tab.waitForURL('**/users?status=DISABLED');
    await page.answers();
    expect(await names()).toEqual(['Bob']);
  });

  it('enables and disables them', async () => {
    await page.press('Bob');
    await page.shows('Bob');
    expect(await tabs(page)).toEqual(['Account', 'Sessions', 'API keys', 'Events']);
    await page.press('Enable');
    await page.tab.locator('main .tag.good').waitFor();
    await page.press('Disable');
    await page.submit();
    await page.tab.locator('main .tag.bad').waitFor();
    expect(await app.get(OwnUsers).loadLoginUser('usr/bob' as never)).toBeUndefined();
  });

  it('ends their keys', async () => {
    await page.load('users');
    await page.press('Ada');
    await page.press('API keys');
    await page.tab.getByText('Export').waitFor();
    await page.press('Revoke');
    await page.submit();
    await page.says('The key is revoked.');
    expect(await page.tab.locator('main').getByText('Export').count()).toBe(0);
    expect((await page.answers()).filter(({ outcome }) => outcome >= 400)).toEqual([]);
  });
});

describe('the console of an application with own users and without their list', () => {
  const app = sharedTestApp(new ConsoleApp(OWN_USERS));
  let page: ConsoleTab;
  beforeAll(async () => {
    await moveIn(app);
    page = await open(app);
    await page.logIn('chief');
    page.forget();
  });

  it.each(['Ada', 'usr_ada'])('opens a user by the name or the id %s', async (name) => {
    await page.press('Users');
    await page.tab.fill('main [name=name]', name);
    await page.press('Open');
    await page.shows('usr_ada');
    expect(page.path).toBe('users/usr_ada');
    expect(await tabs(page)).toEqual(['Account', 'API keys', 'Events']);
    await page.press('API keys');
    await page.tab.getByText('Export').waitFor();
    expect((await page.answers()).filter(({ outcome }) => outcome >= 400)).toEqual([]);
  });
});
