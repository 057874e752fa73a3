import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MailServer, type ReceivedMail, sweepOf } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { sharedDemo } from './clock.js';
import { ADMIN, DemoPage, DEMOS, ON_FASTIFY } from './page.js';

const PASSWORD = 'a right one 4711';
const OTHER_PASSWORD = 'another right one 4712';
const PLACES = sweepOf(DEMOS, [ON_FASTIFY]);
const profile = sharedChromium();

/** Opens a link as programs do that look into mails: over HTTP, in a browser, ahead of time. No button is clicked. */
async function scan(link: string, home: string): Promise<void> {
  const [withoutFragment = ''] = link.split('#');
  expect(withoutFragment).toBe(home);
  for (const method of ['HEAD', 'GET', 'OPTIONS']) {
    await fetch(link, { method });
  }
  const context = await profile();
  const tab = await context.newPage();
  await tab.goto(home);
  await tab.evaluate(async (href) => {
    const { document } = globalThis as any;
    for (const rel of ['prefetch', 'prerender', 'preload']) {
      document.head.append(Object.assign(document.createElement('link'), { rel, href, as: 'fetch' }));
    }
  }, link);
  const scanner = await context.newPage();
  await scanner.goto(link);
  await scanner.locator('section:not([hidden]) button').first().waitFor();
  await context.close();
}

describe.each(PLACES)('mails of the demo on $platform with $provider', (place) => {
  let server: MailServer;
  beforeAll(async () => void (server = await MailServer.start()));
  const demo = sharedDemo(place, () => ({ SMTP_URL: server.url, MAIL_FROM: 'Demo <demo@example.com>' }));
  afterAll(() => server.close());

  function mailTo(address: string, subject: string): Promise<ReceivedMail> {
    return server.waitFor((mail) => mail.to[0] === address && mail.subject.includes(subject));
  }

  /** Opens the link of a mail, after a scanner has. The token is in the address bar no longer. */
  async function follow(page: DemoPage, { link }: ReceivedMail, screen: string): Promise<void> {
    await scan(link!, demo.url);
    await page.tab.goto(link!);
    await page.shows(screen);
    expect(page.tab.url()).toBe(demo.url);
  }

  /** Registers and stays logged in. */
  async function registered(address: string, nickname: string): Promise<DemoPage> {
    const page = await DemoPage.open(await profile(), demo.url);
    await page.tab.click('text=Register');
    await page.submit('register-form', { email: address });
    await page.says('A mail is on its way');
    await follow(page, await mailTo(address, 'Finish your registration'), 'complete');
    await page.submit('complete-form', { password: 'short', nickname });
    await page.says('The password needs at least 8 characters.');
    await page.submit('complete-form', { password: PASSWORD });
    await page.tab.getByText(`Hello ${nickname}`).waitFor();
    return page;
  }

  it('registers, and resets a password that was forgotten', async () => {
    const address = 'Ann@example.com';
    const page = await registered(address, 'Ann');
    await page.tab.locator('#address:text-is("Ann@example.com")').waitFor();
    expect(await page.tab.isVisible('#address-proved')).toBe(true);
    expect(await page.tab.isVisible('#administration')).toBe(false);
    await page.tab.click('#logout');
    await page.logIn({ username: 'ann@example.com', password: PASSWORD });
    const other = await DemoPage.open(await profile(), demo.url);
    await demo.later(); // there is one mail a minute
    await other.tab.click('text=Forgot password');
    await other.submit('forgot-form', { email: 'ANN@example.com' });
    await other.says('If an account has this address, a mail with a link is on its way.');
    const mail = await mailTo(address, 'Choose a new password');
    await follow(other, mail, 'reset');
    await other.submit('reset-form', { password: 'password' });
    await other.says('The password is too common.');
    await other.submit('reset-form', { password: OTHER_PASSWORD });
    await other.says('Your password has changed. Log in with the new one.');
    await mailTo(address, 'password has changed');
    await other.submit('login', { username: 'ann@example.com', password: PASSWORD });
    await other.says('Wrong username or password.');
    await other.logIn({ username: 'ann@example.com', password: OTHER_PASSWORD });
    expect((await page.call('GET', '/v1/api/auth/me')).status).toBe(401); // the login from before has ended
    await other.tab.goto(mail.link!);
    await other.submit('reset-form', { password: PASSWORD });
    await other.says('This link does not work: it may have been used already');
    expect(demo.output()).not.toMatch(/kato_|ann@example/i); // what was sent is not in the log
  });

  it('logs in with a link, and in another browser with the code', async () => {
    const address = 'lea@example.com';
    const page = await registered(address, 'Lea');
    await page.tab.click('#logout');
    await page.showsGuest();
    await page.tab.click('text=Send me a link');
    await page.submit('link-form', { email: address });
    await page.says('If an account has this address, a mail is on its way.');
    const mail = await mailTo(address, 'Log in');

    const other = await DemoPage.open(await profile(), demo.url);
    await follow(other, mail, 'link-login');
    await other.submit('link-login-form');
    await other.says('You have asked for this link in another browser. Enter the code of the mail.');
    await other.submit('link-code-form', { email: address, code: 'BCDF GHJK' });
    await other.says('This code is wrong, or does not work any more.');

    await follow(page, mail, 'link-login');
    await page.submit('link-login-form');
    await page.tab.getByText('Hello Lea').waitFor();
    await page.tab
      .locator('#this-login [data-is=factors]', { hasText: /Link in a mail, \d+ second/ })
      .waitFor();

    await demo.later(); // there is one mail a minute
    await other.tab.click('#link-code >> text=Send me a new link');
    await other.submit('link-form', { email: address });
    await other.shows('link-code');
    const { text } = await server.waitFor(
      ({ to, subject, link }) => to[0] === address && subject.includes('Log in') && link !== mail.link,
    );
    const [, code = ''] = /([B-DF-HJ-NP-TV-Z]{4}-?[B-DF-HJ-NP-TV-Z]{4})/.exec(text)!;
    const third = await DemoPage.open(await profile(), `${demo.url}#login=kato_x`);
    await third.submit('link-login-form');
    await third.says('This link does not work');
    await other.submit('link-code-form', { code });
    await other.tab.getByText('Hello Lea').waitFor();
  });

  if (place.provider === 'session') {
    return; // The rest is alike.
  }

  it('changes an address when the new one is proved, and asks for the password first', async () => {
    const page = await registered('bob@example.com', 'Bob');
    await demo.later();
    await page.submit('change-address', { email: 'rob@example.com' });
    await page.tab.fill('#again', PASSWORD);
    await page.tab.click('#fresh button:not([type])');
    await page.says('Nothing changes until you open it.');
    expect((await mailTo('bob@example.com', 'A new address')).text).toContain('Nothing has changed yet');
    expect(await page.tab.textContent('#address')).toBe('bob@example.com');
    const elsewhere = await DemoPage.open(await profile(), demo.url);
    await follow(elsewhere, await mailTo('rob@example.com', 'Confirm your address'), 'verify');
    await elsewhere.submit('verify-form');
    await elsewhere.says('Your email address is confirmed.');
    await mailTo('bob@example.com', 'has a new address');
    await elsewhere.logIn({ username: 'rob@example.com', password: PASSWORD });
    await elsewhere.tab.locator('#address:text-is("rob@example.com")').waitFor();
    await elsewhere.tab.click('#logout');
    await elsewhere.submit('login', { username: 'bob@example.com', password: PASSWORD });
    await elsewhere.says('Wrong username or password.');
  });

  it('invites somebody, who accepts, and takes back another invitation', async () => {
    const admin = await DemoPage.open(await profile(), demo.url);
    await admin.logIn(ADMIN);
    await admin.tab.locator('#address:text-is("You have none.")').waitFor();
    await admin.submit('invite', { email: 'eve@example.com', roles: 'no-such-role' });
    await admin.says(/role/i);
    await admin.submit('invite', { email: 'eve@example.com', nickname: 'Eve', roles: 'editor' });
    await admin.says('The invitation is on its way.');
    await admin.submit('invite', { email: 'mallory@example.com', nickname: '', roles: '' });
    const items = admin.tab.locator('#invitations li');
    await items.nth(1).waitFor();
    await items.filter({ hasText: 'mallory' }).locator('button').click();
    await admin.says('The invitation of mallory@example.com is withdrawn.');

    const page = await DemoPage.open(await profile(), demo.url);
    await page.tab.goto((await mailTo('mallory@example.com', 'Your invitation')).link!);
    await page.tab.getByText('Accept your invitation').waitFor();
    await page.submit('complete-form', { password: PASSWORD });
    await page.says('This link does not work: it may have been used already');
    await follow(page, await mailTo('eve@example.com', 'Your invitation'), 'complete');
    await page.submit('complete-form', { password: PASSWORD });
    await page.tab.getByText('Hello Eve').waitFor();
    await admin.tab.reload();
    await admin.tab.locator('#sessions li').first().waitFor();
    expect(await items.count()).toBe(0);
  });

  it('tells somebody who registers again of the account, and nobody else', async () => {
    await (await registered('dan@example.com', 'Dan')).tab.close();
    await demo.later();
    const page = await DemoPage.open(await profile(), `${demo.url}#register`);
    await page.submit('register-form', { email: 'dan@example.com' });
    await page.says('A mail is on its way');
    const { link, text } = await mailTo('dan@example.com', 'You already have an account');
    expect([link, text]).toEqual([undefined, expect.stringContaining('Your username: dan@example.com')]);
  });
});

describe('the demo without a mail server', () => {
  const demo = sharedDemo();

  it('says when too many mails were asked for', async () => {
    const page = await DemoPage.open(await profile(), `${demo.url}#forgot`);
    const ask = () => page.call('POST', '/v1/api/auth/password/forgot', { email: 'nobody@example.com' });
    while ((await ask()).status === 202);
    await page.submit('forgot-form', { email: 'nobody@example.com' });
    await page.says(/^Too many .*\(in \d+ seconds\)\.$/);
  });
});
