import { describe, expect, it } from '@jest/globals';
import { sweepOf } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { sharedDemo } from './clock.js';
import { createMember, DemoPage, DEMOS, MEMBER_PASSWORD, ON_FASTIFY } from './page.js';
import { VirtualAuthenticator } from '../passkeys/virtual-authenticator.js';

const PLACES = sweepOf(DEMOS, [ON_FASTIFY]);
const profile = sharedChromium();

describe.each(PLACES)('passkeys in the demo on $platform with $provider', (place) => {
  const demo = sharedDemo(place);

  /** A member who is logged in, and has added a passkey. */
  async function registered(username: string): Promise<{ page: DemoPage; device: VirtualAuthenticator }> {
    const user = await createMember(demo, username);
    const page = await DemoPage.open(await profile(), demo.url);
    const device = await VirtualAuthenticator.of(page.tab);
    await page.logIn(user);
    await page.submit('add-passkey', { name: 'My laptop' });
    await page.says('My laptop is added. It logs you in from now on.');
    await page.tab.locator('#passkeys li:has-text("My laptop")').waitFor();
    return { page, device };
  }

  /** Logs out. The field waits for a passkey, until the user touches the device. */
  async function logOut(page: DemoPage, device: VirtualAuthenticator): Promise<void> {
    await device.setPresence(false);
    const offered = page.tab.waitForResponse('**/login/passkey/options');
    await page.tab.click('#logout');
    await page.showsGuest();
    await offered;
  }

  it('log in with the button, and from the field of the user name', async () => {
    const { page, device } = await registered('ann');
    await logOut(page, device);
    await device.setPresence(true); // from the next request on, which is that of the button
    await page.tab.evaluate("document.getElementById('passkey-login').click()");
    await page.shows('account');
    await page.tab.locator('#this-login [data-is=factors]:has-text("Passkey")').waitFor();

    await logOut(page, device);
    await device.setPresence(true);
    await page.tab.evaluate("document.querySelector('[name=remember]').click()"); // offers them anew
    await page.shows('account');
  });

  it('are renamed, removed, and only once on a device', async () => {
    const { page, device } = await registered('bob');
    await page.submit('add-passkey');
    await page.says('This device has a passkey of yours already.');
    page.tab.once('dialog', (dialog) => void dialog.accept('Work'));
    await page.tab.click('[aria-label="Rename My laptop"]');
    await page.tab.click('[aria-label="Remove Work"]');
    await page.says('Work is removed.');
    expect([await page.tab.locator('#passkeys li').count(), await device.stored()]).toEqual([0, []]);
  });

  it('confirm a login', async () => {
    const { page } = await registered('eve');
    await demo.later();
    await page.submit('add-key', { name: 'Script' });
    await page.tab.click('#by-passkey');
    expect(await page.shownOnce()).toContain('Authorization: Bearer');
  });

  it('stand in for the code of an app', async () => {
    const { page, device } = await registered('joe');
    await page.addPhone(demo);
    await logOut(page, device);
    await page.submit('login', { username: 'joe', password: MEMBER_PASSWORD });
    await page.shows('factor');
    await device.setPresence(true);
    await page.tab.click('#factor-passkey');
    await page.shows('account');
    const shown = page.tab.locator('#this-login [data-is=factors]');
    expect(await shown.innerText()).toMatch(/Password[^]*Passkey/);
  });
});
