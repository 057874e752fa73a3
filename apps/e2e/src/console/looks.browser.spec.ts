import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { IS_SWEEP } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ODD_NAMES } from './people.names.js';
import { BUSY, consoleOfCompany, type ConsoleOfCompany } from './people.js';
import { GATES, PLACES, tour } from './places.js';
import { ConsoleTab } from './tab.js';

declare const axe: any, document: any, innerWidth: number, getComputedStyle: any;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** As Chromium has it. */
const FONT_PX = 16;
const profile = sharedChromium();

const MODES = [
  ['light', 320],
  ['dark', 1280],
  ['dark', 320],
  ['light', 1280],
] as const;

/** Runs in the page: what axe finds, and what is wider than the window without being a table. */
async function inspect(tags: string[]): Promise<string[]> {
  const options = { runOnly: tags, resultTypes: ['violations'], iframes: false, preload: false };
  const { violations } = await axe.run(document, options);
  const isWide = document.documentElement.scrollWidth > innerWidth;
  const clipped = [...document.querySelectorAll('dialog[open], main *:not(.table):not(.sr-only)')].filter(
    (it: any) => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).overflowX === 'auto',
  );
  return [
    ...violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ target }: any) => target).join(', ')}`),
    ...(isWide ? [`as wide as ${document.documentElement.scrollWidth} px`] : []),
    ...clipped.map((it: any) => `scrolls sideways: ${it.className}`),
  ];
}

describe('the looks of the console', () => {
  let company: ConsoleOfCompany;
  let page: ConsoleTab;
  let tab: Page;
  beforeAll(async () => {
    company = await consoleOfCompany();
    page = await ConsoleTab.open(await profile(), company.app.origin);
    ({ tab } = page);
  });
  const surplus = () => tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  // In German, whose texts are longer.
  it('are accessible on each page and in each dialog, also with text of 200 %', async () => {
    const session = await tab.context().newCDPSession(tab);
    const setFont = (standard: number) =>
      session.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } });
    await page.speak('de');
    await tab.reload();
    await tab.locator('dialog.gate').waitFor();
    const findings: Record<string, string[]> = {};
    const visit = async (name: string) => {
      const found: string[] = [];
      if (!(await tab.evaluate("'axe' in globalThis"))) {
        await tab.evaluate(AXE);
      }
      const turn = Object.keys(findings).length % MODES.length;
      for (const [colorScheme, width] of IS_SWEEP ? MODES : [MODES[turn]!]) {
        await tab.setViewportSize({ width, height: 800 });
        await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const here = await tab.evaluate(inspect, TAGS);
        found.push(...here.map((finding) => `${width} ${colorScheme} ${finding}`));
      }
      await setFont(2 * FONT_PX);
      await tab.setViewportSize({ width: 390, height: 800 });
      const size = await tab.evaluate<string>('getComputedStyle(document.documentElement).fontSize');
      expect(size).toBe('28px');
      const tooWide = await surplus();
      found.push(...(tooWide > 0 ? [`wider by ${tooWide} px`] : []));
      await setFont(FONT_PX);
      findings[name] = found;
    };
    await visit('login');
    await page.enter(BUSY);
    await tab.locator('dialog.gate [name=code]').waitFor();
    await visit('login-second');
    await tab.reload();
    await page.logIn();
    await tour(page, company.ids, visit);
    await page.speak('en');
    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
    expect(Object.keys(findings)).toHaveLength(2 + PLACES.length + GATES.length);
  }, 600_000);

  describe('as users want them', () => {
    beforeEach(() => page.load('users'));
    afterEach(() => tab.setViewportSize({ width: 1280, height: 800 }));

    it('show the focus and where one is in forced colours, and do not move for those who do not want it', async () => {
      const styleOf = (selector: string, name: string) =>
        tab
          .locator(selector)
          .first()
          .evaluate((it: any, name) => getComputedStyle(it)[name] as string, name);
      await tab.emulateMedia({ forcedColors: 'active', reducedMotion: 'no-preference' });
      expect(await styleOf('.side [aria-current]', 'outlineStyle')).toBe('solid');
      expect(await styleOf('.side li:last-child a', 'outlineStyle')).toBe('none');
      await tab.focus('#search');
      await tab.keyboard.press('Tab');
      expect(await styleOf(':focus', 'outlineStyle')).toBe('solid');
      for (const control of ['button', '.button', 'input', 'select']) {
        expect(await styleOf(`main ${control}`, 'borderTopStyle')).toBe('solid');
      }
      expect(parseFloat(await styleOf('.primary', 'transitionDuration'))).toBeGreaterThan(0);
      await tab.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' });
      expect(parseFloat(await styleOf('.primary', 'transitionDuration'))).toBe(0);
    });

    it.each([1280, 320])('hold names of any script and length at %i px', async (width) => {
      await tab.setViewportSize({ width, height: 800 });
      await page.show('users?size=100');
      expect(await surplus()).toBe(0);
      for (const { username, nickname } of ODD_NAMES) {
        await page.show(`users/${company.ids.get(username)}`);
        expect(await tab.innerText('main h1')).toBe(nickname || username);
        expect(await surplus()).toBe(0);
      }
    });
  });
});
