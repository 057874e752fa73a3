import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sweepOf } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { BUSY, consoleOfCompany, type ConsoleOfCompany } from './people.js';
import { GATES, PLACES, tour } from './places.js';
import { ConsoleTab } from './tab.js';

declare const axe: any, document: any, innerWidth: number, getComputedStyle: any;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const profile = sharedChromium();

type Mode = readonly [language: string, colorScheme: 'light' | 'dark', width: number];
/** Every pair of values. A sweep has all combinations. */
const MODES = sweepOf<Mode>(
  ['en', 'de'].flatMap((language) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      [320, 1280].map((width) => [language, scheme, width] as const),
    ),
  ),
  [
    ['en', 'light', 320],
    ['en', 'dark', 1280],
    ['de', 'dark', 320],
    ['de', 'light', 1280],
  ],
);

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
  beforeAll(async () => {
    company = await consoleOfCompany();
  });

  it.each(['en', 'de'])('are accessible on each page and in each dialog, in %s', async (language) => {
    const page = await ConsoleTab.open(await profile(), company.app.origin);
    const { tab } = page;
    await page.speak(language);
    const findings: Record<string, string[]> = {};
    const visit = async (name: string) => {
      findings[name] = [];
      if (!(await tab.evaluate("'axe' in globalThis"))) {
        await tab.evaluate(AXE);
      }
      for (const [, colorScheme, width] of MODES.filter(([it]) => it === language)) {
        await tab.setViewportSize({ width, height: 800 });
        await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const found = await tab.evaluate(inspect, TAGS);
        findings[name].push(...found.map((finding) => `${width} ${colorScheme} ${finding}`));
      }
    };
    await tab.reload();
    await tab.locator('dialog.gate').waitFor();
    await visit('login');
    await page.enter(BUSY);
    await tab.locator('dialog.gate [name=code]').waitFor();
    await visit('login-second');
    await tab.reload();
    await page.logIn();
    await tour(page, company.ids, visit);
    expect(findings).toEqual(Object.fromEntries(Object.keys(findings).map((name) => [name, []])));
    expect(Object.keys(findings)).toHaveLength(2 + PLACES.length + GATES.length);
  });
});
