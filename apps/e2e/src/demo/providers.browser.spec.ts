import { describe, expect, it } from '@jest/globals';
import { bearer, postJson, request, sweepOf, tokenOf, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { sharedDemo } from './clock.js';
import { createMember, DemoPage, DEMOS, MEMBER_PASSWORD, ON_EXPRESS } from './page.js';

const CONTINUE = 'text=Continue with the demo provider';
const PLACES = sweepOf(DEMOS, [ON_EXPRESS]);
const profile = sharedChromium();

describe.each(PLACES)('logins with a provider in the demo on $platform with $provider', (place) => {
  const demo = sharedDemo(place);

  const open = async () => DemoPage.open(await profile(), demo.url);

  /** At the provider. */
  async function sayName({ tab }: DemoPage, name: string, isVerified = true): Promise<void> {
    await tab.getByText('Who are you at the demo provider?').waitFor();
    expect(tab.url()).not.toContain(`:${demo.port}/`);
    await tab.fill('[name=name]', name);
    await tab.setChecked('[name=verified]', isVerified);
    await tab.click('text=Continue');
  }

  /** An account without a password, in a browser that the provider knows. */
  async function signedUp(name: string): Promise<DemoPage> {
    const page = await open();
    await page.tab.click(CONTINUE);
    await sayName(page, name);
    await page.shows('sign-up');
    await page.submit('sign-up-form');
    await page.shows('account');
    return page;
  }

  /** A member who is logged in, and has linked an identity. */
  async function linked(username: string, name: string): Promise<DemoPage> {
    const page = await open();
    await page.logIn(await createMember(demo, username));
    await page.tab.click('text=Link the demo provider');
    await sayName(page, name);
    await page.says('The demo provider is linked. It logs you in from now on.');
    return page;
  }

  it('create an account that the user has agreed to, and log it in again', async () => {
    const page = await open();
    await page.tab.check('#login [name=remember]');
    await page.tab.click(CONTINUE);
    await sayName(page, 'Ann');
    await page.shows('sign-up');
    expect(page.tab.url()).toBe(demo.url); // what came back is in the address bar no longer
    expect(await page.tab.innerText('#sign-up')).toContain('at the demo provider: ann@provider.example');
    expect(await page.tab.inputValue('#sign-up-nickname')).toBe('Ann');
    await page.submit('sign-up-form', { nickname: 'Ann B.' });
    await page.tab.getByText('Hello Ann B.').waitFor();
    await page.tab.locator('#identities li', { hasText: 'ann@provider.example' }).waitFor();
    await page.tab.locator('#this-login [data-is=factors]', { hasText: /Provider, \d+ second/ }).waitFor();
    expect(await page.tab.isVisible('#address-proved')).toBe(true);

    await page.tab.click('#logout');
    await page.showsGuest();
    await page.tab.click(CONTINUE); // the provider still knows who it is
    await page.tab.getByText('Hello Ann B.').waitFor();
  });

  it('end at the provider too, in all tabs', async () => {
    const page = await signedUp('bea');
    const other = await DemoPage.open(page.tab.context(), demo.url);
    await other.shows('account');
    await page.tab.click('#logout-provider');
    await page.tab.getByText('Log out of the demo provider?').waitFor();
    await other.showsGuest();
    await page.tab.click('text=Log out >> nth=-1');
    await page.showsGuest();
    expect(page.tab.url()).toBe(demo.url);
    await page.tab.click(CONTINUE);
    await sayName(page, 'bea');
    await page.tab.getByText('Hello bea').waitFor();
  });

  it('are linked, and removed after the login is confirmed', async () => {
    const page = await linked('cleo', 'cleo-there');
    await page.tab.locator('#identities li', { hasText: 'cleo-there@provider.example' }).waitFor();
    await page.tab.click('#logout');
    await page.showsGuest();
    await page.tab.click(CONTINUE);
    await page.tab.getByText('Hello cleo').waitFor();
    await demo.later();
    await page.tab.click('[aria-label^="Remove the demo provider"]');
    await page.tab.fill('#again', MEMBER_PASSWORD);
    await page.tab.click('#by-form');
    await page.says('The demo provider is removed.');
    expect(await page.tab.locator('#identities li').count()).toBe(0);
  });

  if (place.provider === 'session') {
    return; // The rest is alike.
  }

  it('confirm a login of an account that has nothing else', async () => {
    const page = await signedUp('dora');
    await demo.later();
    await page.submit('add-key', { name: 'Script' });
    await page.tab.click('#by-provider');
    await sayName(page, 'dora');
    await page.says('Your login is confirmed. Now do again what you wanted to do.');
    await page.submit('add-key', { name: 'Script' });
    expect(await page.shownOnce()).toContain('Authorization: Bearer');
    await page.tab.click('[aria-label^="Remove the demo provider"]');
    await page.says('You could no longer log in.');
  });

  it('go on with the second factor', async () => {
    const page = await linked('eli', 'eli-there');
    const secret = await page.addPhone(demo);
    await page.tab.click('#logout');
    await page.showsGuest();
    await page.tab.click(CONTINUE);
    await page.shows('factor');
    await page.submit('factor-form', { code: totpCode(secret, demo.now() + 30_000) });
    await page.tab.getByText('Hello eli').waitFor();
  });

  it('say why they failed', async () => {
    const page = await open();
    await page.tab.click(CONTINUE);
    await page.tab.click('text=Cancel');
    await page.says('You have cancelled at the demo provider.');
    await page.tab.click(CONTINUE);
    await sayName(page, 'fay', false);
    await page.says('Your address at the demo provider is not verified. Verify it there, then try again.');

    const admin = bearer(await tokenOf(demo.port));
    const { json: gus } = await postJson(
      demo.port,
      '/v1/api/auth/users',
      { username: 'gus@provider.example', password: MEMBER_PASSWORD },
      [admin],
    );
    expect(gus.username).toBe('gus@provider.example');
    const other = await open();
    await other.tab.click(CONTINUE);
    await sayName(other, 'Gus');
    await other.says('Log in the way you did before, then link the demo provider in your account.');
    await other.tab.reload();
    await other.showsGuest();

    await (await linked('hal', 'taken')).tab.close();
    const third = await open();
    await third.logIn(await createMember(demo, 'ida'));
    await third.tab.click('text=Link the demo provider');
    await sayName(third, 'taken');
    await third.says('This identity belongs to another account.');
    expect((await request(demo.port, '/v1/api/auth/oidc')).json).toEqual([
      { name: 'demo', title: 'the demo provider' },
    ]);
  });

  it('need the page to be at localhost, where its cookies are', async () => {
    const page = await DemoPage.open(await profile(), demo.url.replace('localhost', '127.0.0.1'));
    await page.tab.click(CONTINUE);
    await page.says('Logins with a provider do not work at this address. Open the page at localhost.');
  });

  it('refuse a name that is none, at the provider', async () => {
    const page = await open();
    await page.tab.click(CONTINUE);
    await page.tab.evaluate("document.querySelector('form').noValidate = true");
    await sayName(page, 'a"><b>@');
    await page.tab.locator('[role=alert]', { hasText: 'A name has letters and digits' }).waitFor();
    expect(await page.tab.inputValue('[name=name]')).toBe('a"><b>@');
    await sayName(page, 'jo');
    await page.shows('sign-up');
  });
});
