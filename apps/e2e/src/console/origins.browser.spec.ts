import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouteAccessReport } from 'kit-auth';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import type { BrowserContext, Page } from 'playwright-core';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { type Seen, sendEverything, type Target } from './attacks.hostile.js';
import { WatchedConsole } from './attacks.js';

declare const document: any, window: any;

/** What a form of text can send as JSON. */
const BODY = JSON.stringify({
  username: 'mallory',
  password: 'a hostile one 4711',
  newPassword: 'x',
  roles: [],
});

const profile = sharedChromium();

describe('other origins, while an administrator is logged in to the console', () => {
  const app = sharedTestApp(new ConsoleApp({ platform: 'fastify', extras: ALL_EXTRAS }));
  let hostile: Server;
  let context: BrowserContext;
  let page: WatchedConsole;
  let own: string;
  let targets: Target[];
  let seen: Seen[] = [];

  beforeAll(async () => {
    hostile = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end());
    hostile.listen(0, '127.0.0.1');
    await once(hostile, 'listening');
    const user = await app.user({ username: 'ada' });
    await app.role({ code: 'reader' });
    own = `http://app.localhost:${app.port}`;
    targets = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ path }) => path.startsWith('/v1/api/auth/'))
      .map(({ method, path }) => ({
        method,
        url: own + path.replace('roles/:code', 'roles/reader').replace(/:\w+/g, String(user.id)),
      }));
    app.server.prependListener('request', listen);
    context = await profile();
    page = await WatchedConsole.open(context, `${own}/auth-console`);
    await page.logIn();
  });
  afterAll(() => void hostile.close());

  function listen({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
    const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse;
    response.end = ((...parts: unknown[]) => {
      const code = /"code":(\d{5})/.exec(String(parts[0]))?.[1] ?? response.statusCode;
      seen.push({ method, url, outcome: Number(code) });
      return end(...parts);
    }) as typeof response.end;
  }

  async function hostilePage(host: string): Promise<Page> {
    const tab = await context.newPage();
    await tab.goto(`http://${host}:${(hostile.address() as AddressInfo).port}/`);
    seen = [];
    return tab;
  }

  /** All that an attack could change. */
  async function state(): Promise<unknown> {
    return [
      await app.users.find({ order: { id: 'ASC' } }),
      await app.roles.find({ order: { id: 'ASC' } }),
      await app.rowsOf(AuthLogin).find(),
      await app.rowsOf(AuthIdentity).find(),
      app.box.mails.length,
      (await context.cookies(own)).map(({ name, value }) => [name, value]),
    ];
  }

  const HOSTS: [string, string, number[]][] = [
    ['another site', 'evil.localhost', [40302, 40100]], // without the cookie, which the browser keeps back
    ['a sub-domain', 'evil.app.localhost', [40302]],
  ];

  it.each(HOSTS)('%s changes nothing with forms and requests to any endpoint', async (_, host, refusals) => {
    const before = await state();
    const tab = await hostilePage(host);
    const posts = targets.filter(({ method }) => method === 'POST');
    const others = targets.filter(({ method }) => !['GET', 'POST'].includes(method));
    expect([posts.length > 20, others.length > 15]).toEqual([true, true]);
    await tab.evaluate(sendEverything, [posts, others, BODY] as const);
    const reached = seen.filter(({ method }) => method !== 'OPTIONS');
    expect(reached.map(({ method }) => method)).toEqual(Array(2 * posts.length).fill('POST'));
    expect(reached.filter(({ outcome }) => !refusals.includes(outcome))).toEqual([]);
    expect(seen.filter(({ method, outcome }) => method === 'OPTIONS' && outcome < 300)).toEqual([]);
    expect(await state()).toEqual(before);
    await tab.close();
  });

  it.each(HOSTS)(
    '%s reads nothing, neither as data nor as an image, and no file as a script or a style',
    async (_, host) => {
      const tab = await hostilePage(host);
      const html = (await app.request('/auth-console')).text;
      const assets = ['page.js', 'en.json', 'page.css'].map(
        (name) => `${page.url}/${/assets\/[\w-]+\//.exec(html)![0]}${name}`,
      );
      const files = [page.url, ...assets];
      const urls = targets
        .filter(({ method, url }) => method === 'GET' && !url.includes('/oidc'))
        .map(({ url }) => url);
      const outcomes = await tab.evaluate(
        ([urls, files]) =>
          Promise.all(
            urls.map(async (url) => {
              const load = (name: string, attributes: object) =>
                new Promise((resolve) => {
                  const element = Object.assign(document.createElement(name), attributes);
                  element.onload = () => resolve(`${name} ${url}`);
                  element.onerror = () => resolve(undefined);
                  document.head.append(element);
                });
              return [
                await fetch(url, { credentials: 'include' }).then(
                  () => `fetch ${url}`,
                  () => undefined,
                ),
                await load('img', { src: url }),
                ...(files.includes(url)
                  ? [await load('script', { src: url }), await load('link', { rel: 'stylesheet', href: url })]
                  : []),
              ];
            }),
          ),
        [[...files, ...urls], files] as const,
      );
      expect(outcomes.flat().filter(Boolean)).toEqual([]);
      await tab.close();
    },
  );

  it.each(HOSTS)('%s cannot frame it, and gets no handle of its window', async (_, host) => {
    const tab = await hostilePage(host);
    await tab.evaluate(async (url) => {
      for (const name of ['iframe', 'object', 'embed']) {
        const frame = document.createElement(name);
        frame[name === 'object' ? 'data' : 'src'] = url;
        await new Promise((resolve) => {
          frame.onload = frame.onerror = resolve;
          document.body.append(frame);
        });
      }
    }, page.url);
    for (const frame of tab.frames().slice(1)) {
      expect(await frame.content()).not.toContain('id="app"');
    }
    const [popup] = await Promise.all([
      tab.waitForEvent('popup'),
      tab.evaluate((url) => void (window.opened = window.open(url, 'console')), page.url),
    ]);
    await popup.locator('main h1').waitFor();
    expect(await tab.evaluate(() => [window.opened.closed, window.opened.length])).toEqual([true, 0]);
    expect(await popup.evaluate(() => window.opener)).toBeNull();
    await popup.close();
    await tab.close();
  });

  it('links of others to pages of it send requests that read, and nothing else', async () => {
    const tab = await hostilePage('evil.localhost');
    for (const path of [
      'users/1?q=x',
      'users/1/sessions',
      'roles/reader',
      'users/~new',
      'account',
      'audit',
    ]) {
      await tab.evaluate((url) => void (window.location.href = url), `${page.url}/${path}`);
      await tab.locator('main h1').waitFor();
      await tab.goto(`http://evil.localhost:${(hostile.address() as AddressInfo).port}/`);
    }
    expect(seen.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(seen.filter(({ outcome }) => outcome !== 200)).toEqual([]);
    await tab.close();
  });

  it('the administrator has noticed nothing', async () => {
    await page.go('users');
    await page.tab.locator('main table').waitFor();
    expect(await page.harm()).toEqual([]);
    expect(await page.tab.locator('dialog[open]').count()).toBe(0);
  });
});
