import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import { sweepOf } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ODD_NAMES } from './people.names.js';
import { consoleOfCompany } from './people.js';
import { tour } from './places.js';
import { ConsoleTab } from './tab.js';

declare const document: any, innerWidth: number, getComputedStyle: any;

/** As Chromium has it. */
const FONT_PX = 16;
const profile = sharedChromium();

describe('the console', () => {
  let ids: ReadonlyMap<string, number>;
  let page: ConsoleTab;
  let tab: Page;
  let session: CDPSession | undefined;
  beforeAll(async () => {
    const { app, ...company } = await consoleOfCompany();
    ({ ids } = company);
    page = await ConsoleTab.open(await profile(), app.origin);
    ({ tab } = page);
    await page.speak('de');
    await tab.reload();
    await page.logIn();
  });
  beforeEach(() => page.load('users'));
  afterEach(async () => {
    await setFont(FONT_PX);
    await tab.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
    await tab.setViewportSize({ width: 1280, height: 800 });
  });

  async function setFont(standard: number): Promise<void> {
    session ??= await tab.context().newCDPSession(tab);
    await session.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } });
  }

  const surplus = () => tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  it.each(sweepOf([1280, 390], [390]))(
    'has no second scroll direction with text of 200 %% at %i px',
    async (width) => {
      await setFont(2 * FONT_PX);
      await tab.setViewportSize({ width, height: 800 });
      const wide: string[] = [];
      await tour(page, ids, async (name) => {
        const pixels = await surplus();
        expect(await tab.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('28px');
        if (pixels > 0) {
          wide.push(`${name} by ${pixels}`);
        }
      });
      expect(wide).toEqual([]);
    },
  );

  it('shows the focus and where one is in forced colours', async () => {
    await tab.emulateMedia({ forcedColors: 'active' });
    await page.show('users');
    const outlineOf = (selector: string) =>
      tab.locator(selector).evaluate((it: any) => getComputedStyle(it).outlineStyle as string);
    expect(await outlineOf('.side [aria-current]')).toBe('solid');
    expect(await outlineOf('.side li:last-child a')).toBe('none');
    await tab.focus('#search');
    await tab.keyboard.press('Tab');
    expect(await outlineOf(':focus')).toBe('solid');
    const borders = await tab.evaluate(() =>
      [...document.querySelectorAll('main :is(button, .button, input, select)')].map(
        (it) => getComputedStyle(it).borderTopStyle as string,
      ),
    );
    expect(new Set(borders)).toEqual(new Set(['solid']));
  });

  it('does not move for those who do not want it', async () => {
    await page.show('users');
    const seconds = () =>
      tab.locator('.primary').evaluate((it: any) => parseFloat(getComputedStyle(it).transitionDuration));
    expect(await seconds()).toBeGreaterThan(0);
    await tab.emulateMedia({ reducedMotion: 'reduce' });
    expect(await seconds()).toBe(0);
  });

  it.each([1280, 320])('holds names of any script and length at %i px', async (width) => {
    await tab.setViewportSize({ width, height: 800 });
    await page.show('users?page=2&size=20');
    expect(await surplus()).toBe(0);
    const columns = await tab.evaluate(() =>
      [...document.querySelectorAll('tbody tr')].map((row) =>
        [...row.children]
          .filter((cell: any) => cell.offsetWidth > 0)
          .map((cell: any) => Math.round(cell.getBoundingClientRect().left))
          .filter((left, i, all) => all.indexOf(left) === i)
          .join(),
      ),
    );
    expect(columns.length).toBeGreaterThan(2);
    expect(new Set(columns).size).toBe(1);
    for (const { username, nickname } of ODD_NAMES) {
      await page.show(`users/${ids.get(username)}`);
      expect(await tab.innerText('main h1')).toBe(nickname || username);
      expect(await surplus()).toBe(0);
    }
  });
});
