import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AuthUser } from 'kit-auth/typeorm';
import { IS_SWEEP, sharedTestApp } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { PAYLOADS } from './attacks.payloads.js';
import { WatchedConsole } from './attacks.js';
import { infest } from './attacks.users.js';

const TITLE = `</title><img src=x onerror=globalThis.pwned=1>`;

/** Enough to have each kind, outside of a sweep: the modules read no text as HTML, and lists show all payloads. */
const SOME = PAYLOADS.filter((_, i) => IS_SWEEP || i % 12 === 0 || i > 70);

const profile = sharedChromium();

describe('texts of an attacker in the console', () => {
  const app = sharedTestApp(new ConsoleApp({ extras: ALL_EXTRAS, console: { title: TITLE } }));
  let page: WatchedConsole;
  let victim: AuthUser;

  beforeAll(async () => {
    victim = await infest(app);
    page = await WatchedConsole.open(await profile(), `http://app.localhost:${app.port}/auth-console`);
    await page.logIn();
  });

  /** The texts of an attacker that a part of the page shows, as they are. */
  const texts = (selector = '.data, main code') =>
    page.read<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((it) => it.textContent)`,
    );

  /** As the page shows it. */
  const shown = (text: string) =>
    text.replace(
      /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu,
      '?',
    );

  /** Elements that only markup of an attacker could have made. */
  const foreign = () =>
    page.read<number>(
      "document.querySelectorAll('main :is(script,img,svg,math,iframe,object,embed,link,style,base,meta,video,audio,template,x,dialog dialog)').length",
    );

  it.each([
    ['users', 'users?size=100'],
    ['roles', 'roles'],
    ['the audit log', 'audit?size=100'],
    ['sessions', 'users/{id}/sessions'],
    ['keys', 'users/{id}/keys'],
    ['passkeys', 'users/{id}/passkeys'],
    ['identities', 'users/{id}/identities'],
    ['events', 'users/{id}/events'],
  ])('are texts in the list of %s', async (name, path) => {
    await page.go(path.replace('{id}', String(victim.id)));
    const all = new Set(await texts());
    const missing = PAYLOADS.filter((payload) => !all.has(shown(payload)));
    expect(missing.length).toBeLessThanOrEqual(name === 'events' ? PAYLOADS.length - 15 : 0); // the newest 20
    expect(await foreign()).toBe(0);
    expect(await page.harm()).toEqual([]);
  });

  it('are texts in the pages of a user and a role, and in their titles', async () => {
    for (const payload of SOME) {
      const { id, username } = await app.users.findOneByOrFail({ username: payload });
      await page.go(`users/${id}`);
      expect(await texts('.facts .data')).toContain(shown(username));
      const [heading] = await texts('main h1');
      expect(await page.tab.title()).toBe(`${heading} · ${TITLE}`.trim());
      const { code, name } = await app.roles.findOneByOrFail({ code: payload.slice(0, 64) });
      await page.go(pathOfRole(code));
      expect([code, ...(await texts('main h1'))]).toEqual([code, shown(name)]);
    }
    expect(await foreign()).toBe(0);
    expect(await page.harm()).toEqual([]);
  });

  it('are texts in dialogs, which compare what is typed with what is shown', async () => {
    for (const username of [
      PAYLOADS.find((it) => it.startsWith('<svg onload'))!,
      PAYLOADS.find((it) => it !== shown(it))!,
    ]) {
      const { id } = await app.users.findOneByOrFail({ username });
      await page.go(`users/${id}`);
      await page.tab.click('main .danger >> text=Delete user');
      await page.tab.fill('dialog [name=typed]', 'another');
      await page.tab.click('dialog .danger');
      await page.tab.locator('dialog .summary .notice').waitFor();
      expect(await texts('dialog .data')).toEqual([shown(username), shown(username)]);
      await page.tab.fill('dialog [name=typed]', shown(username));
      await page.tab.click('dialog .danger');
      await page.tab.locator('.notice.good').waitFor();
      expect(await app.users.countBy({ id })).toBe(0);
    }
    expect(await page.harm()).toEqual([]);
  });

  it('are harmless in the URL, and the page stays usable', async () => {
    for (const [i, payload] of SOME.entries()) {
      const text = encodeURIComponent(payload);
      const segment = text.replaceAll('.', '~d');
      const query = [
        'q',
        'status',
        'role',
        'page',
        'size',
        'sort',
        'actor',
        'from',
        'to',
        'type',
        '__proto__',
      ]
        .map((name) => `${name}=${text}`)
        .join('&');
      const paths = [
        `users?${query}`,
        `users/${segment}/sessions?${query}`,
        `roles/${segment}?${query}`,
        `audit?${query}`,
        `${segment}/${segment}?${query}`,
        `roles?${query}#${text}`,
      ];
      await page.go(paths[i % paths.length]!);
    }
    for (const payload of [
      '<script>globalThis.pwned=1</script>',
      'javascript:globalThis.pwned=1//\'"',
      '..',
    ]) {
      const text = encodeURIComponent(payload);
      await page.load(`users/${text.replaceAll('.', '~d')}/${text.replaceAll('.', '~d')}?q=${text}#${text}`);
    }
    expect(await page.harm()).toEqual([]);
    await page.tab.click('nav >> text=Users');
    await page.tab.locator('main table').waitFor();
  });

  it('are harmless in the name of the one who is logged in', async () => {
    const { username } = await app.administrator({ username: '<img src=x>', nickname: PAYLOADS[13]! });
    const other = await WatchedConsole.open(await profile(), page.url);
    await other.logIn(username);
    expect(await other.tab.textContent('.person')).toBe(PAYLOADS[13]);
    await other.go('account');
    expect(await other.harm()).toEqual([]);
    await other.tab.close();
  });
});

/** The page of a role, as the console writes it. */
const pathOfRole = (code: string) =>
  `roles/${encodeURIComponent(code).replace(/[~.]/g, (it) => (it === '.' ? '~d' : '~t'))}`;
