import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuthAudit } from 'kit-auth-admin/typeorm';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import type { BrowserContext } from 'playwright-core';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { type PageServer, servePage } from '../browser/page-server.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { PAYLOADS } from './attacks.payloads.js';
import { give } from './belongings.js';
import { ConsoleTab } from './tab.js';

declare const document: any, window: any;

const TITLE = '</title><img src=x onerror=globalThis.pwned=1>';
const BELOW = '/internal/admin';
/** Elements that only markup of an attacker could have made. */
const FOREIGN =
  'main :is(script,img,svg,math,iframe,object,embed,link,style,base,meta,video,audio,template,x,dialog dialog)';
/** As the page shows it. */
const shown = (text: string) =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu, '?');

const profile = sharedChromium();

/** With texts of an attacker everywhere. */
describe('the console, and who attacks it', () => {
  const app = sharedTestApp(
    new ConsoleApp({
      extras: ALL_EXTRAS,
      console: { title: TITLE, path: BELOW },
    }),
  );
  let context: BrowserContext;
  let page: ConsoleTab;
  let victim: AuthUser;

  beforeAll(async () => {
    victim = await app.user({ username: 'victim', nickname: PAYLOADS[0]! });
    const token = await app.tokenOf(victim);
    const [login] = await app.rowsOf(AuthLogin).findBy({ userId: String(victim.id) });
    for (const [i, payload] of PAYLOADS.entries()) {
      const other = PAYLOADS[(i + 1) % PAYLOADS.length]!;
      await app.user({ username: payload, nickname: other });
      await app.role({ code: payload.slice(0, 64), name: other, permissions: [payload] });
      await give(app, victim, payload);
      const id = login!.id.slice(0, -3) + String(100 + i);
      await app.rowsOf(AuthLogin).save({ ...login!, id, userAgent: payload, address: payload });
      await app.rowsOf(AuthAudit).save({
        ...{ type: payload.slice(0, 32) as AuthAudit['type'], success: false, at: new Date() },
        ...{ actorId: payload, actor: payload, subjectId: String(victim.id), subject: other },
        ...{ detail: payload, address: payload },
      });
    }
    await app.call(token, 'POST', 'factors/totp', { name: PAYLOADS[1]! });
    context = await profile();
    page = await ConsoleTab.open(context, `http://app.localhost:${app.port}`, '', BELOW);
    await page.logIn();
  });

  const texts = (selector: string) => page.tab.locator(selector).allTextContents();
  const foreign = () => page.tab.locator(FOREIGN).count();

  it.each(
    ['users?size=100', 'roles', 'audit?size=100'].concat(
      ['sessions', 'keys', 'passkeys', 'identities'].map((tab) => `users/{id}/${tab}`),
    ),
  )('shows texts as they are in %s', async (path) => {
    await page.show(path.replace('{id}', String(victim.id)));
    const all = await texts('.data, main code');
    expect(PAYLOADS.filter((payload) => !all.includes(shown(payload)))).toEqual([]);
    expect([await foreign(), await page.harm()]).toEqual([0, []]);
  });

  it('shows them in titles and dialogs, which compare what is typed with what is shown', async () => {
    for (const username of ['<svg onload=globalThis.pwned=1>', PAYLOADS.at(-1)!]) {
      const { id, nickname } = await app.users.findOneByOrFail({ username });
      await page.show(`users/${id}`);
      expect(await page.tab.title()).toBe(`${shown(nickname)} · ${TITLE}`);
      await page.press('Delete user');
      await page.tab.fill('dialog [name=typed]', shown(username));
      expect(await texts('dialog .data')).toEqual([shown(username), shown(username)]);
      await page.submit();
      await page.says('The user is deleted.');
    }
    expect([await foreign(), await page.harm()]).toEqual([0, []]);
  });

  it('takes them in its address, and asks nobody but its own server, below its paths', async () => {
    for (const payload of PAYLOADS) {
      const text = encodeURIComponent(payload);
      const query = ['q', 'status', 'role', 'page', 'size', 'sort', '__proto__']
        .map((name) => `${name}=${text}`)
        .join('&');
      await page.show(`users?${query}`);
      await page.show(`roles/${text}?${query}#${text}`);
    }
    for (const path of ['users/~new', 'roles/~new', 'invitations', 'account', 'nowhere']) {
      await page.show(path);
    }
    await page.load(`users/${victim.id}/sessions/`);
    await page.shows(PAYLOADS[0]!);
    const { origin } = new URL(page.url);
    const others = page.requests.filter(
      (url) => !url.startsWith(page.url) && !url.startsWith(`${origin}/v1/api/auth/`),
    );
    expect(others.filter((url) => url !== 'data:,')).toEqual([]);
    expect(await page.harm()).toEqual([]);
  });

  describe('from another origin', () => {
    let hostile: PageServer;
    beforeAll(async () => {
      hostile = await servePage();
    });
    afterAll(() => hostile.close());

    it.each(['evil.localhost', 'evil.app.localhost'])(
      'lets %s read no file, frame no page, and have no handle of its window',
      async (host) => {
        const tab = await context.newPage();
        await tab.goto(`http://${host}:${hostile.port}/`);
        const { text } = await app.request(BELOW);
        const assets = `${page.url}/${/assets\/[\w-]+\//.exec(text)![0]}`;
        const loaded = await tab.evaluate(
          ([url, assets]) => {
            const load = (name: string, attributes: object) =>
              new Promise((resolve) => {
                const element = Object.assign(document.createElement(name), attributes);
                element.onload = () => resolve(name);
                element.onerror = () => resolve(undefined);
                document.head.append(element);
              });
            const read = fetch(url, { credentials: 'include' }).then(
              () => 'fetch',
              () => undefined,
            );
            const style = load('link', { rel: 'stylesheet', href: `${assets}page.css` });
            return Promise.all([read, load('script', { src: `${assets}page.js` }), style]);
          },
          [page.url, assets] as const,
        );
        expect(loaded.filter(Boolean)).toEqual([]);
        await tab.evaluate(async (src) => {
          const frame = Object.assign(document.createElement('iframe'), { src });
          const done = new Promise((resolve) => (frame.onload = frame.onerror = resolve));
          document.body.append(frame);
          await done;
        }, page.url);
        expect(await tab.frames()[1]!.content()).not.toContain('id="app"');
        const [popup] = await Promise.all([
          tab.waitForEvent('popup'),
          tab.evaluate((url) => void (window.opened = window.open(url, 'console')), page.url),
        ]);
        await popup.locator('main h1').waitFor();
        expect(await tab.evaluate(() => [window.opened.closed, window.opened.length])).toEqual([true, 0]);
        expect(await popup.evaluate(() => window.opener)).toBeNull();
        await popup.close();
        await tab.close();
      },
    );
  });

  it('keeps no secret and no name in the browser', async () => {
    await page.load(`users/${victim.id}`);
    await page.press('Log out');
    await page.gate('Log in');
    const kept = await page.tab.evaluate<string>(
      `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await caches.keys(),
        (await indexedDB.databases()).length, history.state, document.body.innerText]))()`,
    );
    expect(kept).not.toMatch(/victim|eyJ|kat|username|nickname|admin\b/);
    expect(JSON.parse(kept).slice(1, -1)).toEqual([{}, '', [], 0, null]);
  });
});
