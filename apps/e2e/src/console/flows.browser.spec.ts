import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';

const profile = sharedChromium();

describe('administrators of one console at once', () => {
  const app = sharedTestApp(new ConsoleApp({ platform: 'fastify', provider: 'session' }));
  const origin = () => `http://localhost:${app.port}`;
  let page: ConsoleTab;
  let other: string;
  /** What another administrator does. */
  const meanwhile = async (method: string, path: string, json?: unknown) => {
    const { status } = await app.call(other, method, path, json);
    expect(status).toBeLessThan(300);
  };

  beforeAll(async () => {
    other = await app.adminToken();
    page = await ConsoleTab.open(await profile(), origin());
    await page.logIn('admin');
  });

  it('one gives a role that the other has deleted', async () => {
    const user = await app.user();
    await app.role({ code: 'passing' });
    await page.load(`users/${user.id}/roles`);
    await page.tab.check('[value=passing]');
    await meanwhile('DELETE', 'roles/passing');
    await page.press('Save');
    await page.says('One of the roles no longer exists.');
    await page.tab.locator('[value=passing]').waitFor({ state: 'detached' });
  });

  it('one changes the roles of a user whom the other has deleted', async () => {
    const user = await app.user();
    await app.role({ code: 'lasting' });
    await page.load(`users/${user.id}/roles`);
    await page.tab.check('[value=lasting]');
    await meanwhile('DELETE', `users/${user.id}`);
    await page.press('Save');
    await page.shows('This entry no longer exists');
  });

  it('one disables a user whom the other has deleted', async () => {
    const user = await app.user();
    await page.load(`users/${user.id}`);
    await meanwhile('DELETE', `users/${user.id}`);
    await page.press('Disable');
    await page.submit();
    await page.shows('This entry no longer exists');
    expect(await page.dialog.count()).toBe(0);
  });

  it('one deletes a user whom the other has deleted', async () => {
    const user = await app.user();
    await page.load(`users/${user.id}`);
    await meanwhile('DELETE', `users/${user.id}`);
    await page.press('Delete user');
    await page.tab.fill('[name=typed]', user.username);
    await page.submit();
    await page.shows('This entry no longer exists');
    expect(await page.dialog.count()).toBe(0);
  });

  it('one ends a session that the other has ended', async () => {
    const user = await app.user();
    await app.tokenOf(user);
    await page.load(`users/${user.id}/sessions`);
    await meanwhile('DELETE', `users/${user.id}/sessions`);
    await page.tab.click('main td button');
    await page.says('40400');
    await page.tab.getByText('There are no sessions.').waitFor();
  });

  it('a double click ends one session, and not the next one too', async () => {
    const user = await app.user();
    for (let i = 0; i < 3; i++) {
      await app.tokenOf(user);
    }
    await page.load(`users/${user.id}/sessions`);
    page.forget();
    const { x, y } = (await page.tab.locator('main td button').first().boundingBox())!;
    await page.tab.mouse.click(x + 5, y + 5);
    await page.says('The session has ended.');
    for (const button of await page.tab.locator('main td button').all()) {
      const next = (await button.boundingBox())!;
      await page.tab.mouse.move(next.x + 5, next.y + 5);
      await page.tab.mouse.down({ clickCount: 2 });
      await page.tab.mouse.up({ clickCount: 2 });
    }
    expect((await page.answers()).filter(({ call }) => call.startsWith('DELETE'))).toHaveLength(1);
    expect(await page.tab.locator('main td button').count()).toBe(2);
  });

  it('one changes a role that the other has deleted', async () => {
    await app.role({ code: 'gone' });
    await page.load('roles/gone');
    await meanwhile('DELETE', 'roles/gone');
    await page.tab.fill('[name=name]', 'New');
    await page.press('Save');
    await page.shows('This entry no longer exists');
    await page.says(/./);
  });

  it('one deletes a role that the other has deleted', async () => {
    await app.role({ code: 'gone' });
    await page.load('roles/gone');
    await meanwhile('DELETE', 'roles/gone');
    await page.press('Delete role');
    await page.tab.fill('[name=typed]', 'gone');
    await page.submit();
    await page.shows('This entry no longer exists');
    expect(await page.dialog.count()).toBe(0);
  });

  it('one deletes a role that the other has given', async () => {
    const user = await app.user();
    await app.role({ code: 'given' });
    await page.load('roles/given');
    await meanwhile('PUT', `users/${user.id}/roles`, { roles: ['given'] });
    await page.press('Delete role');
    await page.tab.fill('[name=typed]', 'given');
    await page.submit();
    await page.says('The role is in use.');
    await page.dialog.getByText('Cancel').click();
  });

  it('both create the same role and the same user', async () => {
    await page.load('roles/~new');
    await page.tab.fill('[name=code]', 'twice');
    await page.tab.fill('[name=name]', 'Twice');
    await meanwhile('POST', 'roles', { code: 'twice', name: 'Other', permissions: [], includes: [] });
    await page.press('Create role');
    await page.says('Another role has this code.');
    expect(await page.tab.inputValue('[name=name]')).toBe('Twice');

    await page.load('users/~new');
    await page.tab.fill('[name=username]', 'twin');
    await page.tab.fill('[name=password]', 'a right one 4711');
    await app.user({ username: 'twin' });
    await page.press('Create user');
    await page.says('Another user has this name.');
    expect(await page.tab.inputValue('[name=username]')).toBe('twin');
  });

  describe('with rights that the other takes away', () => {
    let limited: ConsoleTab;
    let username: string;
    let userId: number;
    const AT_FIRST = ['auth:user:read', 'auth:user:write', 'auth:audit:read'];
    const allow = (permissions: string[]) => meanwhile('PATCH', 'roles/limited', { permissions });

    beforeAll(async () => {
      await app.role({ code: 'limited', permissions: AT_FIRST });
      ({ username, id: userId } = await app.user({ roles: ['limited'] }));
      limited = await ConsoleTab.open(await profile(), origin());
      await limited.logIn(username);
    });

    it('says so, and shows what is left', async () => {
      const user = await app.user();
      await limited.load(`users/${user.id}`);
      expect(await limited.action('Audit log').count()).toBe(1);
      await limited.press('Disable');
      await allow(['auth:user:read']);
      await limited.submit();
      await limited.says('40300');
      await limited.action('Audit log').waitFor({ state: 'detached' });
      await limited.dialog.getByText('Cancel').click();
      await limited.shows(user.username);
      await limited.action('Disable').waitFor({ state: 'detached' });
    });

    it('asks for another login when nothing is left, and goes on when it is back', async () => {
      await allow([]);
      await limited.press('Users');
      await limited.gate('No access');
      limited.forget();
      expect(await limited.answers()).toEqual([]);
      await allow(AT_FIRST);
      await limited.tab.reload();
      await limited.shows('Users');
    });

    it('ends with an account that is disabled', async () => {
      await limited.load('users');
      await meanwhile('PATCH', `users/${userId}`, { status: 'DISABLED' });
      await limited.press('Audit log');
      await limited.gate('Log in');
      await limited.says('This access is disabled.');
    });
  });
});
