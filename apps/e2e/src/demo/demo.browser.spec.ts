import { describe, expect, it } from '@jest/globals';
import type { BrowserContext, Route } from 'playwright-core';
import { request } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { sharedDemo } from './clock.js';
import { ADMIN, DemoPage, DEMOS } from './page.js';

declare const document: any,
  indexedDB: any,
  localStorage: any,
  requestAnimationFrame: any,
  sessionStorage: any;

const REFRESH = '/v1/api/auth/token/refresh';
const profile = sharedChromium();

/** How often a page of a profile calls a path, from now on. */
function countOf(context: BrowserContext, path: string): () => number {
  let count = 0;
  context.on('request', (sent) => void (count += Number(new URL(sent.url()).pathname === path)));
  return () => count;
}

describe.each(DEMOS)('the page of the demo on $platform with $provider', (place) => {
  const demo = sharedDemo(place);
  const url = () => `http://app.localhost:${demo.port}/`;

  it('logs in with cookies that end with the browser, or with the login', async () => {
    const context = await profile();
    const page = await DemoPage.open(context, url());
    await page.tab.fill('#username', 'admin');
    await page.tab.fill('#password', 'wrong');
    await page.tab.click('#login button');
    expect(await page.message()).toBe('Wrong username or password.');
    const names = ['__Host-kit-auth', ...(place.provider === 'jwt' ? ['__Host-kit-auth-refresh'] : [])];
    for (const remember of [false, true]) {
      await page.logIn(ADMIN, remember);
      const cookies = await context.cookies();
      expect(cookies.map(({ name }) => name).sort()).toEqual([
        ...names,
        ...(remember ? ['__Host-kit-auth-remember'] : []),
      ]);
      for (const { httpOnly, secure, sameSite, expires } of cookies) {
        expect([httpOnly, secure, sameSite, expires > 0]).toEqual([true, true, 'Lax', remember]);
      }
      await page.tab.reload();
      await page.tab.locator('#sessions li').first().waitFor();
      await page.tab.click('#logout');
      expect(await page.message()).toBe('You are logged out.');
      expect(await context.cookies()).toEqual([]);
    }
  });

  it('works without TLS on localhost, where the cookies have no prefix', async () => {
    const context = await profile();
    const page = await DemoPage.open(context, `http://127.0.0.1:${demo.port}/`);
    await page.logIn();
    expect((await context.cookies()).map(({ name }) => name)).toContain('kit-auth');
    expect((await page.call('POST', '/v1/notes', { title: 'x', text: '' })).status).toBe(201);
  });

  it('lists logins as they come and go, and the page of an ended one says why', async () => {
    const [here, there] = await Promise.all([profile(), profile()]);
    const phone = await DemoPage.open(there, url());
    await phone.logIn();
    const onPhone = await phone.tab.locator('#sessions li').count();
    const page = await DemoPage.open(here, url());
    await page.logIn();
    const items = page.tab.locator('#sessions li');
    const before = await items.count();
    await phone.tab.waitForFunction(
      (count) => document.querySelectorAll('#sessions li').length === count,
      onPhone + 1,
    );
    expect(await items.locator('.current:visible').count()).toBe(1);
    await items
      .nth(before - 2)
      .locator('button')
      .click();
    await page.tab.waitForFunction(
      (count) => document.querySelectorAll('#sessions li').length === count,
      before - 1,
    );
    expect(await phone.message()).toBe('You are logged out.');
    await phone.showsGuest();
    expect(await phone.tab.locator('#sessions li').count()).toBe(0);
  });

  it('says that the login is over also when its list of logins is refused afterwards', async () => {
    const page = await DemoPage.open(await profile(), url());
    await page.logIn();
    const held = new Promise<Route>((resolve) => void page.tab.route('**/sessions', resolve));
    await page.tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await held;
    await page.tab.click('#logout');
    await page.tab.getByText('You are logged out.').waitFor();
    const answer = page.tab.waitForResponse('**/sessions');
    await (await held).continue();
    expect(await (await answer).json()).toMatchObject({ code: 40100 });
    await page.tab.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.message()).toBe('You are logged out.');
  });

  it('asks for the password before it ends all other logins, if the login is not fresh', async () => {
    const page = await DemoPage.open(await profile(), url());
    await page.logIn();
    await demo.later();
    await page.tab.click('#end-others');
    await page.tab.fill('#again', 'wrong');
    await page.tab.click('#fresh button:not([type])');
    await page.tab.getByText('Wrong username or password.').waitFor();
    await page.tab.fill('#again', 'admin');
    await page.tab.click('#fresh button:not([type])');
    expect(await page.message()).toBe('All other logins have ended.');
    expect(await page.tab.locator('#sessions li').count()).toBe(1);
  });

  it('shows nothing of the user after a logout in another tab, also with the back button', async () => {
    const context = await profile();
    const [page, other] = [await DemoPage.open(context, url()), await DemoPage.open(context, url())];
    await page.logIn();
    await other.tab.locator('#sessions li').first().waitFor(); // it has heard of the login
    await other.tab.evaluate('globalThis.wasKept = true');
    await other.tab.goto(`${url()}docs`);
    await page.tab.click('#logout');
    await page.showsGuest();
    await other.tab.evaluate('history.back()');
    await other.tab.waitForURL(url(), { waitUntil: 'commit' });
    await other.showsGuest();
    expect(await other.tab.evaluate('globalThis.wasKept')).toBe(true); // the page as it was left
    expect(await other.tab.content()).not.toMatch(/Hello <span id="nickname">a|127\.0\.0\.1/);
  });

  it('takes nothing but its own scripts, and no frame', async () => {
    const { headers } = await request(demo.port, '/');
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("script-src 'self'"),
    });
    const page = await DemoPage.open(await profile(), url());
    const inline = () => {
      const script = document.createElement('script');
      script.textContent = 'document.title = "injected"';
      document.body.append(script);
      return document.title;
    };
    expect(await page.tab.evaluate(inline)).toBe('kit-auth demo');
  });

  it('has no token where a script could read it', async () => {
    const context = await profile();
    const page = await DemoPage.open(context, url());
    const secrets = new Set<string>();
    const seen: string[] = [];
    const remember = async () => {
      for (const { name, value } of await context.cookies()) {
        if (!name.endsWith('-remember')) {
          secrets.add(value);
        }
      }
      seen.push(
        await page.tab.evaluate(async () =>
          JSON.stringify([
            document.cookie,
            { ...localStorage },
            { ...sessionStorage },
            await indexedDB.databases(),
            performance.getEntries(),
            document.documentElement.outerHTML,
          ]),
        ),
      );
    };
    await page.logIn(ADMIN, true);
    await remember();
    // Every endpoint, as a script of the page may call it. Those that end the login are last.
    const document_ = JSON.parse((await page.call('GET', '/docs-json')).text) as {
      paths: Record<string, object>;
    };
    const operations = Object.entries(document_.paths)
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
      )
      .filter(([, path]) => !/status/.test(path))
      .sort(([, a], [, b]) => Number(/log|end/.test(a)) - Number(/log|end/.test(b)));
    for (const [method, path] of operations) {
      const body = method === 'GET' ? undefined : { ...ADMIN, refreshToken: undefined };
      seen.push((await page.call(method, path.replace(/\{\w+\}/g, '1'), body)).text);
      await remember();
    }
    await demo.later();
    seen.push((await page.call('POST', REFRESH, {})).text);
    await remember();
    seen.push((await page.call('POST', '/v1/api/auth/login', { ...ADMIN, remember: true })).text);
    await remember();
    expect([operations.length > 20, secrets.size > 2]).toEqual([true, true]);
    for (const text of seen) {
      expect(text).not.toMatch(/katr_|"(refreshT|t)oken"|eyJ[\w-]+\./);
      expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
    }
  });
});

describe('two tabs of the demo', () => {
  const ROUNDS = 8;
  const demo = sharedDemo();

  async function twoTabs(): Promise<{ context: BrowserContext; tabs: DemoPage[] }> {
    const context = await profile();
    const open = () => DemoPage.open(context, `http://app.localhost:${demo.port}/`);
    const tabs = [await open(), await open()];
    await tabs[0]!.logIn();
    await tabs[1]!.tab.locator('#sessions li').first().waitFor();
    return { context, tabs };
  }

  it('refresh once for all their requests, time after time', async () => {
    const { context, tabs } = await twoTabs();
    const refreshes = countOf(context, REFRESH);
    for (let round = 1; round <= ROUNDS; round++) {
      await demo.later();
      const before = refreshes();
      const calls = tabs.flatMap((tab) =>
        Array.from({ length: 3 }, () => tab.call('GET', '/v1/notes', undefined, 'client')),
      );
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect([round, statuses]).toEqual([round, [200, 200, 200, 200, 200, 200]]);
      // Chromium hands localStorage on to other tabs with a delay: at times the second tab refreshes as well.
      const ofRound = refreshes() - before;
      expect([1, 2]).toContain(ofRound);
    }
    expect(refreshes()).toBeLessThan(2 * ROUNDS);
  });

  it('send a request again whatever its method, and log out both', async () => {
    const { tabs } = await twoTabs();
    await demo.later();
    const [note] = [{ title: 'T', text: 'x' }];
    expect((await tabs[0]!.call('POST', '/v1/notes', note, 'client')).status).toBe(201);
    await demo.later();
    await tabs[0]!.tab.click('#logout');
    for (const tab of tabs) {
      expect(await tab.message()).toBe('You are logged out.');
    }
  });
});
