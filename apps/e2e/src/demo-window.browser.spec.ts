import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { bearer, postJson, tokenOf, totpCode } from 'test-support';
import { sharedChromium } from './chromium.js';
import { startTimedDemo, type TimedDemo } from './demo-clock.js';
import { ADMIN, DemoPage } from './demo-page.js';

declare const axe: any, document: any, innerWidth: number;

const PASSWORD = 'a right one 4711';
const REPOSITORY = 'https://github.com/kit-auth/kit-auth/blob/main/';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [390, 1440];
const profile = sharedChromium();

/** Creates a member. @returns the credentials */
async function member({ port }: TimedDemo, username: string) {
  const user = { username, password: PASSWORD, roles: ['member'] };
  const admin = bearer(await tokenOf(port));
  expect((await postJson(port, '/v1/api/auth/users', user, [admin])).status).toBe(201);
  return user;
}

/** Errors and warnings of the console, from now on. */
function problemsOf(tab: Page): string[] {
  const problems: string[] = [];
  tab.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push(message.text());
    }
  });
  tab.on('pageerror', ({ message }) => problems.push(message));
  return problems;
}

describe.each([
  { platform: 'express', provider: 'jwt' },
  { platform: 'fastify', provider: 'session' },
] as const)('the page of the demo on $platform with $provider', ({ platform, provider }) => {
  let demo: TimedDemo;
  let url: string;
  beforeAll(async () => {
    demo = await startTimedDemo({
      KIT_DEMO_PLATFORM: platform,
      KIT_DEMO_PROVIDER: provider,
      DATABASE_URL: 'sqlite::memory:',
    });
    url = `http://localhost:${demo.port}/`;
  });

  it('has no error in its console before a login, in it, and after it', async () => {
    const context = await profile();
    const tab = await context.newPage();
    const problems = problemsOf(tab);
    await tab.goto(url);
    await tab.locator('#guest').waitFor();
    const page = await DemoPage.open(context, url);
    problems.push(...problemsOf(page.tab));
    await page.logIn();
    await page.tab.locator('#routes li').first().waitFor();
    await tab.locator('#routes li').first().waitFor(); // it has heard of the login
    await tab.reload();
    await tab.locator('#routes li').first().waitFor();
    expect(problems).toEqual([]);
    await tab.click('#logout');
    await tab.locator('#guest').waitFor();
    problems.length = 0; // the client tries the endpoint of refresh tokens first, which may be missing
    await tab.reload();
    await tab.locator('#guest').waitFor();
    expect(problems).toEqual([]);
  });

  it('shows what kit-auth knows of the login, and nothing of it after the logout', async () => {
    const page = await DemoPage.open(await profile(), url);
    await page.logIn(await member(demo, 'mia'));
    const text = await page.tab.innerText('#this-login');
    const expected = [
      /User\s+mia\s+id \d/,
      /Roles\s+member/,
      /note:read\s+note:write/,
      /Password, \d+ seconds? ago/,
    ];
    expected.push(
      /Chrome on Linux\s+127\.0\.0\.1/,
      provider === 'jwt' ? /JWT[^]*expires in \d+ minutes/ : /Session token/,
    );
    expect(expected.filter((pattern) => !pattern.test(text))).toEqual([]);
    await page.tab.locator('[data-is=end]', { hasText: /ends \d/ }).waitFor();
    await page.tryRoute('/v1/this-login');
    await page.tab.click('#logout');
    await page.showsGuest();
    expect(await page.tab.content()).not.toMatch(/>mia<|127\.0\.0\.1|note:read<|"loginId"/);
  });

  it('tries routes, and says what came back, why, and what to do next', async () => {
    const page = await DemoPage.open(await profile(), url);
    await page.logIn();
    const shown = async (path: string, as?: 'login' | 'nobody' | 'damaged') =>
      (await page.tryRoute(path, as)).replace(/\s+/g, ' ');
    expect(await shown('/v1/notes')).toMatch(/200 OK .* permission note:read\./);
    expect(await shown('/v1/notes', 'nobody')).toMatch(
      /401 40100 TOKEN_MISSING .* request had none\. .* login/,
    );
    expect(await shown('/v1/notes', 'damaged')).toMatch(
      /401 40101 TOKEN_INVALID .* not valid.* refresh once/,
    );
    expect(await shown('/v1/public/about', 'nobody')).toMatch(
      /200 OK .* open by white-list, so it needs no token/,
    );
    expect(await shown('/v1/notes/moderation')).toMatch(/200 OK/);
    expect(await shown('/v1/notes/review')).toMatch(
      /403 40300 FORBIDDEN .* policy SeparationOfDuties .* refuses/,
    );
    await page.tab.click('#logout');
    await page.showsGuest();
    await page.logIn(await member(demo, 'lea'));
    expect(await shown('/v1/notes/moderation')).toMatch(/403 40300 FORBIDDEN .* lacks: note:moderate\./);
    expect(await page.tab.innerText('#tried')).toMatch(/^403, 40300 FORBIDDEN\. The token is valid/);
  });

  it('confirms the login for a route that needs it, and sends the request again', async () => {
    const page = await DemoPage.open(await profile(), url);
    await page.logIn(await member(demo, 'noa'));
    expect(await page.tryRoute('/v1/notes/export')).toMatch(/200/);
    await demo.later();
    const shown = await page.tryRoute('/v1/notes/export');
    expect(shown.replace(/\s+/g, ' ')).toMatch(
      /401 40120 FRESH_LOGIN_REQUIRED .* in the last 30 seconds: password\. .* keep the token/,
    );
    await page.tab.click('#answer-confirm');
    await page.tab.fill('#again', PASSWORD);
    await page.tab.click('#fresh button:not([type])');
    await page.tab.locator('#answer-status:text-is("200")').waitFor();
    expect(await page.tab.isVisible('#answer-confirm')).toBe(false);
    expect(await page.tab.evaluate(() => document.activeElement.id)).toBe('answer-title');
    await page.tab.locator('[data-is=factors]', { hasText: /Password, \d second/ }).waitFor();
  });
});

describe('the page of the demo for everybody', () => {
  let demo: TimedDemo;
  let url: string;
  beforeAll(async () => {
    demo = await startTimedDemo({ DATABASE_URL: 'sqlite::memory:' });
    url = `http://localhost:${demo.port}/`;
  });

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
    const page = await DemoPage.open(await profile(), url);
    await page.tab.evaluate(AXE);
    const findings: Record<string, string[]> = {};
    const check = async (screen: string) => {
      await page.tab.locator(`#${screen}`).waitFor();
      findings[screen] = await findingsOn(page);
    };
    await check('guest');
    for (const [fragment, screen] of [
      ['forgot', 'forgot'],
      ['register', 'register'],
      ['reset=x', 'reset'],
      ['verify=x', 'verify'],
      ['invite=x', 'complete'],
    ] as const) {
      await page.tab.evaluate(`location.hash = '${fragment}'`);
      await check(screen);
    }
    await page.tab.goto(url);
    await page.tab.reload();
    await page.tab.evaluate(AXE);

    const user = await member(demo, 'ada');
    const login = await postJson(demo.port, '/v1/api/auth/login', user);
    const headers = [bearer(login.json.token)];
    const post = async (path: string, body: object) =>
      (await postJson(demo.port, `/v1/api/auth/${path}`, body, headers)).json;
    const { id, secret } = await post('factors/totp', { name: 'My phone' });
    await post(`factors/totp/${id}/confirm`, { code: totpCode(secret, demo.now()) });
    await page.submit('login', { username: user.username, password: PASSWORD });
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
    expect(Object.keys(findings)).toHaveLength(11);
  });

  it('links each screen to a guide that exists', async () => {
    const page = await DemoPage.open(await profile(), url);
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
