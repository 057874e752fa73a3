import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UserAddresses } from 'kit-auth-email';
import type { BrowserContext } from 'playwright-core';
import { freePorts, freezeDate, sweepOf, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';
import { addPasskey, enrol } from './factors.js';
import { VirtualAuthenticator } from '../passkeys/virtual-authenticator.js';

const profile = sharedChromium();
const HOUR_MS = 60 * 60_000;

describe('changes that need a fresh login', () => {
  let app: ConsoleApp;
  let later: (milliseconds: number) => void;
  let context: BrowserContext;
  let page: ConsoleTab;
  let subject: { id: number; username: string };

  beforeAll(async () => {
    later = freezeDate();
    app = await new ConsoleApp({ extras: ALL_EXTRAS, ownPort: (await freePorts(1))[0]! }).start();
    await app.role({ code: 'clerk', permissions: ['auth:user:read'] });
    await app.role({ code: 'author', permissions: ['note:read'] });
    context = await profile();
    page = await ConsoleTab.open(context, app.origin);
    await page.logIn('admin');
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  beforeEach(async () => {
    subject = await app.user({ roles: ['author'] });
    await app.get(UserAddresses).assign(subject.id, `${subject.username}@app.example`, { verified: true });
    await app.call(await app.tokenOf(subject), 'POST', 'keys', { name: 'Script', abilities: ['note:read'] });
    await enrol(app, subject);
  });

  async function submitted(button: string, typed?: string): Promise<void> {
    await page.press(button);
    if (typed !== undefined) {
      await page.tab.fill('[name=typed]', typed);
    }
    await page.submit();
  }

  /** Each leads to the dialog. */
  const PLACES: Record<string, { path: (id: number) => string; act: () => Promise<void>; call: string }> = {
    'deletes a user': {
      path: (id) => `users/${id}`,
      act: () => submitted('Delete user', subject.username),
      call: 'DELETE users/{}',
    },
    'sends a link': {
      path: (id) => `users/${id}`,
      act: () => page.press('Send link for a new password'),
      call: 'POST users/{}/reset-link',
    },
    'gives a role': {
      path: (id) => `users/${id}/roles`,
      act: async () => {
        await page.tab.check('[value=clerk]');
        await page.press('Save');
        await page.submit();
      },
      call: 'PUT users/{}/roles',
    },
    'removes second factors': {
      path: (id) => `users/${id}/factors`,
      act: () => submitted('Remove second factors'),
      call: 'DELETE users/{}/factors',
    },
    'deletes a role': {
      path: (id) => `roles/old-${id}`,
      act: () => submitted('Delete role', `old-${subject.id}`),
      call: 'DELETE roles/old-{}',
    },
    'disables a user': {
      path: (id) => `users/${id}`,
      act: () => submitted('Disable'),
      call: 'PATCH users/{}',
    },
    'ends all sessions': {
      path: (id) => `users/${id}/sessions`,
      act: () => submitted('End all sessions'),
      call: 'DELETE users/{}/sessions',
    },
    'ends all keys': {
      path: (id) => `users/${id}/keys`,
      act: () => submitted('Revoke all API keys'),
      call: 'DELETE users/{}/keys',
    },
    'creates an administrator': {
      path: () => 'users/~new',
      act: async () => {
        await page.tab.fill('main [name=username]', `other-${subject.id}`);
        await page.tab.fill('main [name=password]', 'a right one 4711');
        await page.tab.check('[value=clerk]');
        await page.press('Create user');
      },
      call: 'POST users',
    },
  };

  it.each(sweepOf(Object.keys(PLACES), ['deletes a user', 'gives a role', 'ends all keys']))(
    'one %s: after the confirmation, and not without it',
    async (name) => {
      const { path, act, call } = PLACES[name]!;
      const request = call.replace('{}', String(subject.id));
      await app.role({ code: `old-${subject.id}` });
      await page.load(path(subject.id));
      const url = page.tab.url();
      later(HOUR_MS);
      await page.load(path(subject.id));
      page.forget();
      await act();
      await page.dialog.getByText('Confirm that it is you').waitFor();
      await page.dialog.getByText('Cancel').click();
      expect(await page.answers()).toContainEqual({ call: request, outcome: 40120 });
      expect((await page.answers()).filter((it) => it.call === request)).toHaveLength(1);
      expect([await page.tab.locator('#confirm-title').count(), page.tab.url()]).toEqual([0, url]);
      expect(await page.tab.locator('.notice.good').count()).toBe(0);

      await page.load(path(subject.id));
      page.forget();
      await act();
      await page.tab.fill('dialog [name=proof]', 'admin');
      await page.dialog.locator('form button.primary').click();
      await page.tab.locator('.notice.good').waitFor();
      const outcomes = (await page.answers()).filter((it) => it.call === request).map((it) => it.outcome);
      expect([outcomes[0], outcomes.length]).toEqual([40120, 2]);
      expect(outcomes[1]).toBeLessThan(300);
      expect(await page.dialog.count()).toBe(0);
    },
  );

  it('asks once for two changes at once', async () => {
    await page.load(`users/${subject.id}`);
    later(HOUR_MS);
    await page.load(`users/${subject.id}`);
    page.forget();
    await page.tab.evaluate(`(async () => {
      const { src } = document.querySelector('script[src$="/page.js"]');
      const { call } = await import(src.replace('page.js', 'api.js'));
      for (const to of ['DISABLED', 'ENABLED']) {
        void call('PATCH', 'users/${subject.id}', { status: to }).catch(() => undefined);
      }
    })()`);
    await page.tab.fill('dialog [name=proof]', 'admin');
    expect(await page.tab.locator('#confirm-title').count()).toBe(1);
    await page.dialog.locator('form button.primary').click();
    await page.hears(`PATCH users/${subject.id}`, 200);
    expect((await page.answers()).filter(({ call }) => call === 'POST fresh')).toHaveLength(1);
    expect(await page.dialog.count()).toBe(0);
  });

  it('says that a password is wrong, three times, and gives the focus back', async () => {
    await page.load(`users/${subject.id}`);
    later(HOUR_MS);
    await page.load(`users/${subject.id}`);
    await page.press('Send link for a new password');
    for (let i = 0; i < 3; i++) {
      page.forget();
      await page.tab.fill('dialog [name=proof]', 'a wrong one 4711');
      await page.dialog.locator('form button.primary').click();
      await page.hears('POST fresh', 40110);
      await page.dialog.locator('.field-error:text("The password is wrong.")').waitFor();
    }
    await page.dialog.getByText('Cancel').click();
    expect(await page.dialog.count()).toBe(0);
    expect(await page.focused()).toBe('Send link for a new password');
    expect(app.box.to(`${subject.username}@app.example`, 'reset')).toEqual([]);
  });

  it('takes the code of an app, or a passkey, where the user has them', async () => {
    const administrator = await app.administrator();
    const { secret } = await enrol(app, administrator);
    const tab = await ConsoleTab.open(await profile(), app.origin);
    await VirtualAuthenticator.of(tab.tab);
    later(HOUR_MS);
    await tab.enter(administrator.username);
    await tab.tab.fill('dialog.gate [name=code]', totpCode(secret, Date.now()));
    await tab.tab.click('dialog.gate form .primary');
    await tab.shows('Users');
    await addPasskey(tab.tab);

    later(HOUR_MS);
    await tab.load(`users/${subject.id}`);
    await tab.press('Send link for a new password');
    await tab.dialog.getByText('Confirm that it is you').waitFor();
    await tab.dialog.getByText('Use instead: Authenticator app').click();
    await tab.tab.fill('dialog [name=proof]', totpCode(secret, Date.now()));
    await tab.dialog.locator('form button.primary').click();
    await tab.says('The link is on its way');

    later(HOUR_MS);
    await tab.load(`users/${subject.id}/factors`);
    await tab.press('Remove second factors');
    await tab.submit();
    await tab.dialog.getByText('Confirm with a passkey').click();
    await tab.says('The second factors are removed.');
  });
});
