import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { sweepOf } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { sharedDemo } from './clock.js';
import { createMember, DemoPage, DEMOS, MEMBER_PASSWORD, ON_FASTIFY } from './page.js';

declare const document: any;

const PLACES = sweepOf(DEMOS, [ON_FASTIFY]);
const profile = sharedChromium();

/** Records errors and warnings of its console. */
function recordProblems(tab: Page, problems: string[]): void {
  tab.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push(message.text());
    }
  });
  tab.on('pageerror', ({ message }) => problems.push(message));
}

describe.each(PLACES)('the page of the demo on $platform with $provider', (place) => {
  const demo = sharedDemo(place);

  it('has no error in its console before a login, in it, and after it', async () => {
    const context = await profile();
    const problems: string[] = [];
    context.on('page', (tab) => recordProblems(tab, problems));
    const tab = await context.newPage();
    await tab.goto(demo.url);
    await tab.locator('#guest').waitFor();
    const page = await DemoPage.open(context, demo.url);
    await page.logIn();
    await page.tab.locator('#routes li').first().waitFor();
    await tab.locator('#routes li').first().waitFor(); // it has heard of the login
    await tab.reload();
    await tab.locator('#routes li').first().waitFor();
    expect(problems).toEqual([]);
    await tab.click('#logout');
    await tab.locator('#guest').waitFor();
    await Promise.all([tab.close(), page.tab.close()]);
    problems.length = 0; // the client tries the endpoint of refresh tokens first, which may be missing
    const next = await context.newPage();
    await next.goto(demo.url);
    await next.locator('#guest').waitFor();
    expect(problems).toEqual([]);
  });

  it('shows what kit-auth knows of the login, and nothing of it after the logout', async () => {
    const page = await DemoPage.open(await profile(), demo.url);
    await page.logIn(await createMember(demo, 'mia'));
    const text = await page.tab.innerText('#this-login');
    const expected = [
      /User\s+mia\s+id \d/,
      /Roles\s+member/,
      /note:read\s+note:write/,
      /Password, \d+ seconds? ago/,
    ];
    expected.push(
      /Chrome on Linux\s+127\.0\.0\.1/,
      place.provider === 'jwt' ? /JWT[^]*expires in \d+ minutes/ : /Session token/,
    );
    expect(expected.filter((pattern) => !pattern.test(text))).toEqual([]);
    await page.tab.locator('[data-is=end]', { hasText: /ends \d/ }).waitFor();
    await page.tryRoute('/v1/this-login');
    await page.tab.click('#logout');
    await page.showsGuest();
    expect(await page.tab.content()).not.toMatch(/>mia<|127\.0\.0\.1|note:read<|"loginId"/);
  });

  it('tries routes, and says what came back, why, and what to do next', async () => {
    const page = await DemoPage.open(await profile(), demo.url);
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
    expect(await shown('/v1/notes/feed')).toMatch(
      /200 OK .* open by @OptionalUser.* so the handler knows the user/,
    );
    expect(await shown('/v1/notes/feed', 'nobody')).toMatch(/200 OK .* The handler knows no user/);
    expect(await shown('/v1/notes/feed', 'damaged')).toMatch(/401 40101 TOKEN_INVALID/);
    expect(await shown('/v1/notes/moderation')).toMatch(/200 OK/);
    expect(await shown('/v1/notes/review')).toMatch(
      /403 40300 FORBIDDEN .* policy SeparationOfDuties .* refuses/,
    );
    await page.tab.click('#logout');
    await page.showsGuest();
    await page.logIn(await createMember(demo, 'lea'));
    expect(await shown('/v1/notes/moderation')).toMatch(/403 40300 FORBIDDEN .* lacks: note:moderate\./);
    expect(await page.tab.innerText('#tried')).toMatch(/^403, 40300 FORBIDDEN\. The token is valid/);
  });

  it('confirms the login for a route that needs it, and sends the request again', async () => {
    const page = await DemoPage.open(await profile(), demo.url);
    await page.logIn(await createMember(demo, 'noa'));
    expect(await page.tryRoute('/v1/notes/export')).toMatch(/200/);
    await demo.later();
    const shown = await page.tryRoute('/v1/notes/export');
    expect(shown.replace(/\s+/g, ' ')).toMatch(
      /401 40120 FRESH_LOGIN_REQUIRED .* in the last 30 seconds: password\. .* keep the token/,
    );
    await page.tab.click('#answer-confirm');
    await page.tab.fill('#again', MEMBER_PASSWORD);
    await page.tab.click('#fresh button:not([type])');
    await page.tab.locator('#answer-status:text-is("200")').waitFor();
    expect(await page.tab.isVisible('#answer-confirm')).toBe(false);
    expect(await page.tab.evaluate(() => document.activeElement.id)).toBe('answer-title');
    await page.tab.locator('[data-is=factors]', { hasText: /Password, \d second/ }).waitFor();
  });
});
