import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { IS_SWEEP } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ODD_NAMES, ROLES } from './people.names.js';
import { BUSY, consoleOfCompany, type ConsoleOfCompany } from './people.js';
import { GATES, PLACES, tour } from './places.js';
import { ConsoleTab } from './tab.js';

declare const axe: any, document: any, innerWidth: number, getComputedStyle: any, NodeFilter: any;

type Text = string | Readonly<Record<string, string>>;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const GERMAN = JSON.parse(readFileSync('packages/kit-auth-console/page/languages/de.json', 'utf8')) as Record<
  string,
  Text
>;
/** As Chromium has it. */
const FONT_PX = 16;
const profile = sharedChromium();

/** In English, one place of each kind is enough: what differs is the length of texts. A sweep has all. */
const IN_ENGLISH = IS_SWEEP ? /./ : /^(users|user-edit|user-sessions|role|audit|gate-password)$/;
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

/** Runs in the page: texts that are not of users, not code, and in the language of the page. */
function visibleTexts(): string[] {
  const OTHERS =
    '.data, code, time, [lang]:not(html), script, style, noscript, .person, .brand, option[lang]';
  const texts: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (parentElement.closest(OTHERS) === null && getComputedStyle(parentElement).display !== 'none') {
      texts.push(textContent);
    }
  }
  for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'data-label']) {
    for (const element of document.querySelectorAll(`[${name}]:not(.agent)`)) {
      texts.push(element.getAttribute(name));
    }
  }
  return texts.map((text) => text.trim()).filter((text) => text !== '');
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** What the catalog can say, with anything in its placeholders, or a part beside a placeholder. */
const KNOWN = Object.values(GERMAN)
  .flatMap((text) => (typeof text === 'string' ? [text] : Object.values(text)))
  .flatMap((text) => [text, ...text.split(/\{\w+\}/).map((part) => part.trim())])
  .filter((text) => text !== '')
  .map((text) => new RegExp(`^${escaped(text).replace(/\\\{\w+\\\}/g, '.+')}$`, 'u'));
/** Without words, or the names of a browser and its system. */
const NEUTRAL = /^([\d\s.,:·–✕-]*|(Chrome|Safari|Firefox)(, (macOS|iPhone|Linux))?)$/u;
const CODES = ['SUPER_ADMIN', ...ROLES.map(({ code }) => code)];

describe('the looks of the console', () => {
  let company: ConsoleOfCompany;
  beforeAll(async () => {
    company = await consoleOfCompany();
  });

  /** Sentences of kit-auth-languages, which has its own specs. */
  async function sentences(page: ConsoleTab): Promise<Set<string>> {
    const source = await page.tab.getAttribute('script[type=module]', 'src');
    const response = await page.tab.request.get(new URL('de.json', new URL(source!, `${page.url}/`)).href);
    const { errors } = (await response.json()) as { errors: Record<string, Text> };
    return new Set(Object.values(errors).filter((text) => typeof text === 'string'));
  }

  it.each(['en', 'de'])(
    'are accessible on each page and in each dialog, in %s, and leave no English word there in German',
    async (language) => {
      const page = await ConsoleTab.open(await profile(), company.app.origin);
      const { tab } = page;
      const session = await tab.context().newCDPSession(tab);
      const setFont = (standard: number) =>
        session.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } });
      await page.speak(language);
      await tab.reload();
      await tab.locator('dialog.gate').waitFor();
      const ofErrors = await sentences(page);
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
        if (language === 'de') {
          const texts = await tab.evaluate(visibleTexts);
          expect(texts.length).toBeGreaterThan(3);
          const foreign = texts.filter(
            (text) =>
              !KNOWN.some((pattern) => pattern.test(text)) &&
              !NEUTRAL.test(text) &&
              !ofErrors.has(text) &&
              !CODES.includes(text),
          );
          // With text of 200 %, there is no second scroll direction.
          await setFont(2 * FONT_PX);
          await tab.setViewportSize({ width: 390, height: 800 });
          const { size, surplus } = await tab.evaluate(() => ({
            size: getComputedStyle(document.documentElement).fontSize as string,
            surplus: (document.documentElement.scrollWidth as number) - innerWidth,
          }));
          expect(size).toBe('28px');
          found.push(...foreign, ...(surplus > 0 ? [`wider by ${surplus} px`] : []));
          await setFont(FONT_PX);
        }
        findings[name] = found;
      };
      await visit('login');
      await page.enter(BUSY);
      await tab.locator('dialog.gate [name=code]').waitFor();
      await visit('login-second');
      await tab.reload();
      await page.logIn();
      await tour(page, company.ids, visit, language === 'en' ? IN_ENGLISH : /./);
      expect(findings).toEqual(Object.fromEntries(Object.keys(findings).map((name) => [name, []])));
      expect(Object.keys(findings)).toHaveLength(
        2 +
          [...PLACES.map(({ name }) => name), ...GATES.map(([name]) => name)].filter((name) =>
            language === 'en' ? IN_ENGLISH.test(name) : true,
          ).length,
      );
    },
    600_000,
  );

  describe('as users want them', () => {
    let page: ConsoleTab;
    let tab: Page;
    beforeAll(async () => {
      page = await ConsoleTab.open(await profile(), company.app.origin);
      ({ tab } = page);
      await page.logIn();
    });
    beforeEach(() => page.load('users'));
    afterEach(async () => {
      await tab.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
      await tab.setViewportSize({ width: 1280, height: 800 });
    });

    it('show the focus and where one is in forced colours', async () => {
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

    it('do not move for those who do not want it', async () => {
      await page.show('users');
      const seconds = () =>
        tab.locator('.primary').evaluate((it: any) => parseFloat(getComputedStyle(it).transitionDuration));
      expect(await seconds()).toBeGreaterThan(0);
      await tab.emulateMedia({ reducedMotion: 'reduce' });
      expect(await seconds()).toBe(0);
    });

    it.each([1280, 320])('hold names of any script and length at %i px', async (width) => {
      const surplus = () => tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
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
        await page.show(`users/${company.ids.get(username)}`);
        expect(await tab.innerText('main h1')).toBe(nickname || username);
        expect(await surplus()).toBe(0);
      }
    });
  });
});
