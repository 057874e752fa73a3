import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { bearer, postJson, totpCode } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { sharedDemo } from './clock.js';
import { ADMIN, createMember, DemoPage } from './page.js';

declare const axe: any, document: any, innerWidth: number;

const REPOSITORY = 'https://github.com/kit-auth/kit-auth/blob/main/';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [390, 1440];
const profile = sharedChromium();

describe('the screens of the demo', () => {
  const demo = sharedDemo();

  /** What axe finds on the screen in each width and colour scheme, and whether it is wider than the window. */
  async function findingsOn({ tab }: DemoPage): Promise<string[]> {
    const findings: string[] = [];
    for (const width of WIDTHS) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.setViewportSize({ width, height: 900 });
        await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const found = await tab.evaluate(async () => {
          const { violations } = await axe.run(document, { resultTypes: ['violations'] });
          const isWide = document.documentElement.scrollWidth > innerWidth;
          return [
            ...violations.map(
              ({ id, nodes }: any) => `${id}: ${nodes.map(({ target }: any) => target).join(', ')}`,
            ),
            ...(isWide ? ['wider than the window'] : []),
          ] as string[];
        });
        findings.push(...found.map((finding) => `${width} ${colorScheme} ${finding}`));
      }
    }
    return findings;
  }

  it('has screens without violations of accessibility, narrow and wide, light and dark', async () => {
    const page = await DemoPage.open(await profile(), demo.url);
    await page.tab.evaluate(AXE);
    const findings: Record<string, string[]> = {};
    const check = async (screen: string) => {
      await page.tab.locator(`#${screen}`).waitFor();
      findings[screen] = await findingsOn(page);
    };
    await check('guest');
    for (const [fragment, screen] of [
      ['link', 'link'],
      ['login=x', 'link-login'],
      ['kit-auth=complete&token=x&provider=demo&address=ann@provider.example&name=Ann', 'sign-up'],
      ['forgot', 'forgot'],
      ['register', 'register'],
      ['reset=x', 'reset'],
      ['verify=x', 'verify'],
      ['invite=x', 'complete'],
    ] as const) {
      await page.tab.evaluate(`location.hash = '${fragment}'`);
      await check(screen);
    }
    await page.tab.evaluate("location.hash = 'link'");
    await page.submit('link-form', { email: 'nobody@example.com' });
    await check('link-code');
    await page.tab.goto(demo.url);
    await page.tab.reload();
    await page.tab.evaluate(AXE);

    const user = await createMember(demo, 'ada');
    const login = await postJson(demo.port, '/v1/api/auth/login', user);
    const headers = [bearer(login.json.token)];
    const post = async (path: string, body: object) =>
      (await postJson(demo.port, `/v1/api/auth/${path}`, body, headers)).json;
    const { id, secret } = await post('factors/totp', { name: 'My phone' });
    await post(`factors/totp/${id}/confirm`, { code: totpCode(secret, demo.now()) });
    await page.submit('login', { username: user.username, password: user.password });
    await check('factor');
    await page.tab.click('#factor-back');

    await page.logIn(ADMIN);
    await page.tryRoute('/v1/notes/review');
    await page.tab.click('#answer summary');
    await page.submit('add-key', { name: 'Backup script' });
    await check('once');
    await page.tab.click('#once-close');
    await page.submit('invite', { email: 'eva@example.com' });
    await page.tab.locator('#invitations li').waitFor();
    await page.submit('add-factor', { name: 'My phone' });
    await check('enrolment');
    await check('account');
    await demo.later();
    await page.tryRoute('/v1/notes/export');
    await page.tab.click('#answer-confirm');
    await check('confirm');
    expect(findings).toEqual(Object.fromEntries(Object.keys(findings).map((screen) => [screen, []])));
    expect(Object.keys(findings)).toHaveLength(15);
  });

  it('links each screen to a guide that exists', async () => {
    const page = await DemoPage.open(await profile(), demo.url);
    const links: string[] = await page.tab.evaluate(() =>
      [...document.querySelectorAll('a.guide, header a')].map(({ href }: any) => href),
    );
    const documents = links.filter((link) => link.startsWith(REPOSITORY));
    expect(documents.filter((link) => !existsSync(link.slice(REPOSITORY.length)))).toEqual([]);
    const unlinked = await page.tab.evaluate(() =>
      [...document.querySelectorAll('main > section:not(#account), .card, #confirm')]
        .filter((screen: any) => screen.querySelector('a.guide') === null)
        .map(({ id }: any) => id),
    );
    expect(unlinked).toEqual([]);
    await page.logIn();
    await page.tryRoute('/v1/notes', 'nobody');
    const [path = '', anchor] = (await page.tab.getAttribute('#answer-more', 'href'))!
      .slice(REPOSITORY.length)
      .split('#');
    const headings = readFileSync(path, 'utf8').match(/^### .*$/gm)!;
    expect(
      headings.map((line) => line.slice(4).replaceAll('`', '').replace(' ', '-').toLowerCase()),
    ).toContain(anchor);
  });
});
