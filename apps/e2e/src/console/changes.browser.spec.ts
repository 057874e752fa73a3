import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UserAddresses } from 'kit-auth-email';
import { freePorts, freezeDate, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { ConsoleTab } from './tab.js';
import { addPasskey, enrol } from './factors.js';
import { VirtualAuthenticator } from '../passkeys/virtual-authenticator.js';

const profile = sharedChromium();
const HOUR_MS = 60 * 60_000;

describe('changes in the console', () => {
  let app: ConsoleApp;
  let later: (milliseconds: number) => void;
  let page: ConsoleTab;
  let subject: { id: number; username: string };

  beforeAll(async () => {
    later = freezeDate();
    app = await new ConsoleApp({ extras: ALL_EXTRAS, ownPort: (await freePorts(1))[0]! }).start();
    page = await ConsoleTab.open(await profile(), app.origin);
    await page.logIn('admin');
  });
  beforeEach(async () => {
    subject = await app.user();
    await app.get(UserAddresses).assign(subject.id, `${subject.username}@app.example`, { verified: true });
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  async function deleteUser(): Promise<void> {
    await page.press('Delete user');
    await page.tab.fill('[name=typed]', subject.username);
    await page.submit();
  }

  it('a double click ends one session, and not the next one too', async () => {
    for (let i = 0; i < 3; i++) {
      await app.tokenOf(subject);
    }
    await page.load(`users/${subject.id}/sessions`);
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

  it('of a user whom another administrator has deleted close the dialog', async () => {
    await page.load(`users/${subject.id}`);
    await app.users.delete(subject.id);
    await deleteUser();
    await page.shows('This entry no longer exists');
    expect(await page.dialog.count()).toBe(0);
  });

  it('of roles are made with a form, whose code another administrator may have taken', async () => {
    await app.role({ code: 'twice' });
    await page.load('roles/~new');
    await page.tab.fill('[name=code]', 'twice');
    await page.tab.fill('[name=name]', 'Once');
    await page.press('Create role');
    await page.says('Another role has this code.');
    await page.tab.fill('[name=code]', 'once');
    await page.press('Create role');
    await page.shows('Once');
    await page.tab.fill('[name=permissions]', 'note:read');
    await page.press('Save');
    await page.says('The changes are saved.');
    await page.press('Delete role');
    await page.tab.fill('[name=typed]', 'once');
    await page.submit();
    await page.says('The role is deleted.');
    expect(await app.roles.countBy({ code: 'once' })).toBe(0);
  });

  it('that need a fresh login are made after the confirmation, and not without it', async () => {
    const call = `DELETE users/${subject.id}`;
    later(HOUR_MS);
    await page.load(`users/${subject.id}`);
    page.forget();
    await deleteUser();
    await page.dialog.getByText('Confirm that it is you').waitFor();
    await page.dialog.getByText('Cancel').click();
    expect(await page.answers()).toContainEqual({ call, outcome: 40120 });
    expect(await page.tab.locator('#confirm-title, .notice.good').count()).toBe(0);

    await page.load(`users/${subject.id}`);
    page.forget();
    await deleteUser();
    await page.tab.fill('dialog [name=proof]', 'a wrong one 4711');
    await page.dialog.locator('form button.primary').click();
    await page.dialog.locator('.field-error:text("The password is wrong.")').waitFor();
    await page.tab.fill('dialog [name=proof]', 'admin');
    await page.dialog.locator('form button.primary').click();
    await page.says('The user is deleted.');
    const outcomes = (await page.answers()).filter((it) => it.call === call).map((it) => it.outcome);
    expect([outcomes, await page.dialog.count()]).toEqual([[40120, 204], 0]);
  });

  it('are confirmed with the code of an app, or a passkey, where the user has them', async () => {
    const administrator = await app.administrator();
    const { secret } = await enrol(app, administrator);
    await enrol(app, subject);
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
