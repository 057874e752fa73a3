import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { UserAddresses } from 'kit-auth-email';
import { freePorts, freezeDate, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { enrol } from './factors.js';
import { ConsoleTab } from './tab.js';
import { VirtualAuthenticator } from '../passkeys/virtual-authenticator.js';

const profile = sharedChromium();
const HOUR_MS = 60 * 60_000;
const STEP_MS = 30_000;

let app: ConsoleApp;
let later: (milliseconds: number) => void;
beforeAll(async () => {
  later = freezeDate();
  app = await new ConsoleApp({
    platform: 'fastify',
    provider: 'session',
    extras: ALL_EXTRAS,
    console: { requireSecondFactor: true },
    ownPort: (await freePorts(1))[0]!,
  }).start();
});
afterAll(() => {
  jest.useRealTimers();
});

it('a passkey logs in as second factor, with a button and from the field of the name, and confirms changes', async () => {
  const user = await app.administrator();
  const { secret, recoveryCodes } = await enrol(app, user);
  const subject = await app.user();
  await app.get(UserAddresses).assign(subject.id, `${subject.username}@app.example`, { verified: true });
  await enrol(app, subject);
  later(2 * STEP_MS);
  const page = await ConsoleTab.open(await profile(), app.origin);
  const { tab } = page;
  const answer = async (code: string) => {
    await tab.fill('dialog.gate [name=code]', code);
    await tab.click('dialog.gate form .primary');
  };
  const device = await VirtualAuthenticator.of(tab);
  await page.enter(user.username);
  await answer('000000');
  await page.says('40113');
  await answer(totpCode(secret, Date.now()));
  await page.shows('Users');
  // The console has no button for that.
  await tab.evaluate(`(async () => {
    const { src } = document.querySelector('script[src$="/page.js"]');
    const { passkeys } = await import(src.replace('page.js', 'api.js'));
    await passkeys.add({ name: 'Laptop' });
  })()`);

  await device.setPresence(false); // nobody chooses one from the field
  await page.press('Log out');
  await page.enter(user.username);
  await tab.selectOption('dialog.gate [name=factor]', 'recovery');
  await answer(recoveryCodes[0]!);
  await page.shows('Users');

  await page.press('Log out');
  await page.enter(user.username);
  await device.setPresence(true);
  await tab.click('dialog.gate button:text("Use a passkey")');
  await page.shows('Users');

  await device.setPresence(false);
  await page.press('Log out');
  await page.gate('Log in');
  await device.setPresence(true);
  await tab.click('dialog.gate button:text("Log in with a passkey")');
  await page.shows('Users');

  const loggedIn = tab.waitForResponse((response) => response.url().endsWith('/login/passkey'));
  await page.press('Log out');
  await loggedIn; // the authenticator chooses at once
  await page.shows('Users');
  await tab.locator('dialog.gate').waitFor({ state: 'detached' });

  later(HOUR_MS);
  await page.load(`users/${subject.id}`);
  await page.press('Send link for a new password');
  await page.dialog.getByText('Use instead: Authenticator app').click();
  await tab.fill('dialog [name=proof]', totpCode(secret, Date.now()));
  await page.dialog.locator('form button.primary').click();
  await page.says('The link is on its way');

  later(HOUR_MS);
  await page.load(`users/${subject.id}/factors`);
  await page.press('Remove second factors');
  await page.submit();
  await page.dialog.getByText('Confirm with a passkey').click();
  await page.says('The second factors are removed.');
  expect(await page.harm()).toEqual([]);
});
