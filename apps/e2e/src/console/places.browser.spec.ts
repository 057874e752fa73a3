import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { WatchedConsole } from './attacks.js';
import { PathProxy } from './attacks.proxy.js';

const profile = sharedChromium();
const withPrefix = (prefix: string) => ({
  configure: (nest: INestApplication) => nest.setGlobalPrefix(prefix),
});

const PAGES = [
  'users',
  'users?q=ada&page=1&size=50',
  'users/~new',
  ...['', '/roles', '/sessions', '/factors', '/passkeys', '/keys', '/identities', '/events'].map(
    (tab) => `users/{id}${tab}`,
  ),
  'roles',
  'roles/reader',
  'roles/~new',
  'invitations',
  'audit',
  'account',
  'nowhere',
];

describe.each([
  {
    name: 'behind a proxy that takes off a path',
    options: { platform: 'express', session: {}, console: { path: '/internal/admin' }, ...withPrefix('api') },
    proxy: { path: '/team', keeps: false },
    path: '/team/api',
    below: '/internal/admin',
  },
  {
    name: 'behind a proxy that keeps the path',
    options: { platform: 'fastify', ...withPrefix('team') },
    proxy: { path: '/team', keeps: true },
    path: '/team',
  },
] as const)('the console $name', ({ options, path, ...where }) => {
  const { proxy, below = '/auth-console' } = where as {
    proxy?: { path: string; keeps: boolean };
    below?: string;
  };
  const app = sharedTestApp(new ConsoleApp({ ...options, extras: ALL_EXTRAS }));
  let between: PathProxy | undefined;
  let page: WatchedConsole;
  let id: number;

  beforeAll(async () => {
    await app.role({ code: 'reader' });
    ({ id } = await app.user({ username: 'ada', roles: ['reader'] }));
    if (proxy !== undefined) {
      between = new PathProxy(app.port, proxy.path, proxy.keeps);
      await between.start();
    }
    const origin = `http://app.localhost:${between?.port ?? app.port}`;
    page = await WatchedConsole.open(await profile(), `${origin}${path}${below}`);
    await page.logIn();
  });
  afterAll(() => between?.close());

  it('shows all pages, and asks nobody but its own server, below its paths', async () => {
    for (const it of PAGES) {
      await page.go(it.replace('{id}', String(id)));
    }
    await page.load(`users/${id}/sessions`);
    await page.load(`users/${id}/sessions/`);
    expect(await page.tab.textContent('main h1')).toBe('ada');
    const { origin, pathname } = new URL(page.url);
    const others = page.requests.filter(
      (url) => !url.startsWith(`${origin}${pathname}`) && !url.startsWith(`${origin}${path}/v1/api/auth/`),
    );
    expect(others.filter((url) => url !== 'data:,')).toEqual([]);
    expect(await page.harm()).toEqual([]);
  });

  it('keeps no secret and no name in the browser, and shows none after the end of the login', async () => {
    await page.load(`users/${id}`);
    await page.tab.click('footer >> text=Log out');
    await page.tab.locator('dialog.gate').waitFor();
    for (const move of ['goBack', 'goForward', 'reload'] as const) {
      await page.tab[move]();
      await page.tab.locator('dialog.gate').waitFor();
      expect(await page.read('document.body.innerText + document.title')).not.toMatch(/ada|admin\b|reader/);
    }
    const kept = await page.read(
      `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await caches.keys(),
        (await indexedDB.databases()).length, history.state]))()`,
    );
    expect(kept).not.toMatch(/ada|reader|eyJ|kat|username|nickname/);
    expect(JSON.parse(kept).slice(1)).toEqual([{}, '', [], 0, null]);
    await page.logIn();
  });

  it('shows nothing of before when it comes back from the history after the end of the login', async () => {
    await page.load(`users/${id}`);
    await page.tab.goto(page.url.replace(below, '/v1/api/auth/me'));
    await page.tab.evaluate(
      (url) => fetch(url, { method: 'POST' }),
      `${new URL(page.url).origin}${path}/v1/api/auth/logout`,
    );
    await page.tab.goBack();
    await page.tab.locator('dialog.gate').waitFor();
    expect(await page.read('document.body.innerText + document.title')).not.toMatch(/ada|admin\b|reader/);
    await page.logIn();
  });
});
