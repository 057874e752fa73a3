import { beforeAll, describe, expect, it } from '@jest/globals';
import { AuthUserStatus } from 'kit-auth/typeorm';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';

const profile = sharedChromium();
const BEYOND = 'You cannot change this user, who has rights that you do not have.';

describe('administrators of the console who do not have all rights', () => {
  const app = sharedTestApp(new ConsoleApp({ extras: ['email', 'keys'] }));
  const opened = async () => ConsoleTab.open(await profile(), `http://localhost:${app.port}`);
  let helper: ConsoleTab;
  beforeAll(async () => {
    await app.role({ code: 'helper', permissions: ['auth:user:read', 'auth:user:write', 'auth:session:*'] });
    await app.role({ code: 'auditor', permissions: ['auth:audit:read'] });
    await app.role({ code: 'plain', permissions: ['note:read'] });
    const { username } = await app.user({ roles: ['helper'] });
    helper = await opened();
    await helper.logIn(username);
  });

  it('see no button that the server would refuse, without the right to read roles', async () => {
    const { id } = await app.user({ roles: ['auditor'] });
    await helper.load(`users/${id}`);
    await helper.tab.getByText(BEYOND).waitFor();
    expect(await helper.tab.locator('main button').count()).toBe(0);
    for (const tab of ['sessions', 'keys', 'roles']) {
      await helper.load(`users/${id}/${tab}`);
      expect(await helper.tab.locator('main button').count()).toBe(0);
    }
    const off = await app.user({ roles: ['auditor'], status: AuthUserStatus.DISABLED });
    await helper.load(`users/${off.id}`);
    await helper.tab.getByText(BEYOND).waitFor();
  });

  it('see those that it would not refuse, also for disabled users', async () => {
    const { id } = await app.user({ roles: ['plain'] });
    await helper.load(`users/${id}`);
    expect(await helper.action('Disable').count()).toBe(1);
    const off = await app.user({ roles: ['plain'], status: AuthUserStatus.DISABLED });
    await helper.load(`users/${off.id}`);
    await helper.press('Enable');
    await helper.action('Disable').waitFor();
    expect((await helper.answers()).filter(({ outcome }) => outcome === 40300)).toEqual([]);
  });

  it('may have their rights by a wildcard', async () => {
    await app.role({ code: 'wide', permissions: ['auth:*:read', 'auth:*:write'] });
    const { username } = await app.user({ roles: ['wide'] });
    const { id } = await app.user({ roles: ['auditor'] });
    const page = await opened();
    await page.logIn(username);
    await page.load(`users/${id}/roles`);
    expect(await page.tab.locator('main [value=auditor]').isEnabled()).toBe(true);
    expect(await page.tab.locator('main [value=helper]').isEnabled()).toBe(false);
    await page.press('Account');
    await page.action('Disable').waitFor();
  });

  it('are asked before they give roles that they cannot read, and cannot take their own', async () => {
    const { id } = await app.user();
    await helper.load(`users/${id}/roles`);
    await helper.tab.fill('main [name=roles]', 'plain');
    await helper.press('Save');
    await helper.submit();
    await helper.says('The roles are saved.');

    const own = await helper.tab.evaluate<{ user: { userId: number } }>(
      `fetch('/v1/api/auth/console').then((answer) => answer.json())`,
    );
    await helper.load(`users/${own.user.userId}/roles`);
    await helper.tab.fill('main [name=roles]', '');
    await helper.press('Save');
    await helper.tab.locator('.field-error:text("You cannot take away your own")').waitFor();
  });

  it('lose the buttons of what another one takes away, although the sections are the same', async () => {
    const permissions = ['auth:user:*', 'auth:session:*', 'auth:role:*', 'auth:audit:*'];
    await app.role({ code: 'all', permissions });
    const { username, id: own } = await app.user({ roles: ['all', 'SUPER_ADMIN'] });
    const { id } = await app.administrator();
    const page = await opened();
    await page.logIn(username);
    await page.load(`users/${id}`);
    await page.action('Disable').waitFor();
    const roles = { roles: ['all'] };
    expect((await app.call(await app.adminToken(), 'PUT', `users/${own}/roles`, roles)).status).toBe(200);
    await page.press('Disable');
    await page.submit();
    await page.says('40300');
    await page.tab.getByText(BEYOND).waitFor();
    await page.action('Disable').waitFor({ state: 'detached' });
  });

  it('are told why a link cannot be sent, and that roles cannot include each other', async () => {
    const page = await opened();
    await page.logIn('admin');
    const { id } = await app.user();
    await page.load(`users/${id}`);
    await page.press('Send link for a new password');
    await page.says('The link cannot be sent, because the user has no email address');

    const inner = await app.role({ code: 'inner' });
    const outer = await app.role({ code: 'outer', includes: [inner] });
    await app.role({ code: 'outermost', includes: [outer] });
    await page.load('roles/inner');
    for (const code of ['outer', 'outermost']) {
      expect(await page.tab.locator(`main [value=${code}]`).isDisabled()).toBe(true);
    }
    expect(await page.tab.locator('main [value=plain]').isEnabled()).toBe(true);
  });
});
