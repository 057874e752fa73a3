import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedChromium } from '../browser/chromium.js';
import { ROLES } from './people.names.js';
import { consoleOfCompany } from './people.js';
import { tour } from './places.js';
import { ConsoleTab } from './tab.js';

declare const document: any, NodeFilter: any, getComputedStyle: any;

type Text = string | Readonly<Record<string, string>>;
const FOLDER = 'packages/kit-auth-console/page/languages';
const GERMAN = JSON.parse(readFileSync(`${FOLDER}/de.json`, 'utf8')) as Record<string, Text>;
const profile = sharedChromium();

/** Runs in the page: texts that are not of users, not code, and in the language of the page. */
function visibleTexts(): string[] {
  const OTHERS =
    '.data, code, time, [lang]:not(html), script, style, noscript, .person, .brand, option[lang]';
  const isOurs = (element: any) => element.closest(OTHERS) === null;
  const texts: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (isOurs(parentElement) && getComputedStyle(parentElement).display !== 'none') {
      texts.push(textContent);
    }
  }
  for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'data-label']) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      if (!element.matches('.agent')) {
        texts.push(element.getAttribute(name));
      }
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

describe('the languages of the console', () => {
  let ids: ReadonlyMap<string, number>;
  let origin: string;
  beforeAll(async () => {
    const { app, ...company } = await consoleOfCompany();
    ({ ids } = company);
    ({ origin } = app);
  });

  /** Sentences of kit-auth-languages, which has its own specs. */
  async function sentences(page: ConsoleTab): Promise<Set<string>> {
    const source = await page.tab.getAttribute('script[type=module]', 'src');
    const base = new URL(source!, `${page.url}/`);
    const response = await page.tab.request.get(new URL('de.json', base).href);
    const { errors } = (await response.json()) as { errors: Record<string, Text> };
    return new Set(Object.values(errors).filter((text) => typeof text === 'string'));
  }

  it('leave no English word on any page in German', async () => {
    const page = await ConsoleTab.open(await profile(), origin);
    await page.speak('de');
    await page.tab.reload();
    await page.tab.locator('dialog.gate').waitFor();
    const ofErrors = await sentences(page);
    const unknown: Record<string, string[]> = {};
    const visit = async (name: string) => {
      const texts = await page.tab.evaluate(visibleTexts);
      expect(texts.length).toBeGreaterThan(3);
      unknown[name] = texts.filter(
        (text) =>
          !KNOWN.some((pattern) => pattern.test(text)) &&
          !NEUTRAL.test(text) &&
          !ofErrors.has(text) &&
          !CODES.includes(text),
      );
      expect(await page.tab.evaluate(() => document.documentElement.lang)).toBe('de');
    };
    await visit('login');
    await page.logIn();
    await tour(page, ids, visit);
    expect(unknown).toEqual(Object.fromEntries(Object.keys(unknown).map((name) => [name, []])));
  });

  it.each([
    ['de-AT', 'de', 'Anmelden'],
    ['en-GB', 'en', 'Log in'],
    ['fr-FR', 'en', 'Log in'],
  ])('for a browser in %s are %s', async (locale, lang, heading) => {
    const context = await (await profile()).browser()!.newContext({ locale });
    const { tab } = await ConsoleTab.open(context, origin);
    expect([await tab.getAttribute('html', 'lang'), await tab.innerText('h1')]).toEqual([lang, heading]);
    await context.close();
  });

  it('are chosen by the user, and remembered', async () => {
    const context = await profile();
    const { tab } = await ConsoleTab.open(context, origin);
    await tab.selectOption('dialog.gate select.language', 'de');
    await tab.locator('html[lang=de] h1').filter({ hasText: 'Anmelden' }).waitFor();
    const other = await ConsoleTab.open(context, origin);
    expect(await other.tab.innerText('h1')).toBe('Anmelden');
    expect(await other.tab.getAttribute('.language option >> nth=0', 'lang')).toBe('en');
    await other.tab.evaluate("localStorage.setItem('kit-auth-console language', 'xx')");
    await other.tab.reload();
    await other.tab.locator('html[lang=en] h1').waitFor();
  });
});
