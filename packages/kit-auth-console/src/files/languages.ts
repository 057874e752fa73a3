import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IllegalStateException } from 'kit-auth';
import { type ConsoleCatalog, type PageText, tagOf } from '../config/catalogs.js';
import { PAGE, published } from './packages.js';

type Catalog = Readonly<Record<string, unknown>>;

/** The file of a language. */
interface PageLanguage {
  readonly direction: string;
  readonly texts: Readonly<Record<string, PageText>>;
  readonly errors: Catalog;
}

/**
 * The file of each language, as JSON by its tag.
 *
 * @throws IllegalStateException for a catalog of the application that lacks texts, or has unknown ones
 */
export function languageFiles(languages: readonly (string | ConsoleCatalog)[]): Map<string, string> {
  const english = textsOf(ownCatalog('en'));
  return new Map(
    languages.map((language) => {
      const loaded = typeof language === 'string' ? ownLanguage(language) : givenLanguage(language, english);
      return [tagOf(language), JSON.stringify(loaded)];
    }),
  );
}

function ownLanguage(tag: string): PageLanguage {
  const catalog = ownCatalog(tag);
  return {
    direction: catalog['$direction'] as string,
    texts: textsOf(catalog) as PageLanguage['texts'],
    errors: errorsOf(tag),
  };
}

function givenLanguage(catalog: ConsoleCatalog, english: Catalog): PageLanguage {
  const { $tag, $direction = 'ltr', $errors = {} } = catalog;
  const texts = textsOf(catalog);
  const keys = Object.keys(english);
  const problems = [
    ...listed(
      'lacks',
      keys.filter((key) => texts[key] === undefined),
    ),
    ...listed(
      'has the unknown',
      Object.keys(texts).filter((key) => !keys.includes(key)),
    ),
    ...listed(
      'has no text or plural forms in',
      Object.keys(texts).filter((key) => !isPageText(texts[key])),
    ),
    ...listed(
      'has other placeholders than English in',
      keys.filter(
        (key) => isPageText(texts[key]) && placeholdersOf(texts[key]) !== placeholdersOf(english[key]),
      ),
    ),
    ...listed(
      'has no text in its $errors for',
      Object.keys($errors).filter((key) => ![$errors[key]].flat().every(isPageText)),
    ),
  ];
  if (problems.length > 0) {
    throw new IllegalStateException(
      `kit.auth.console.languages: the catalog "${$tag}" ${problems.join('; it ')}. ` +
        'Its keys are those of page/languages/en.json of kit-auth-console.',
    );
  }
  return {
    direction: $direction,
    texts: texts as PageLanguage['texts'],
    errors: { ...errorsOf('en'), ...$errors },
  };
}

function ownCatalog(tag: string): Catalog {
  return JSON.parse(readFileSync(join(PAGE, 'languages', `${tag}.json`), 'utf8')) as Catalog;
}

function errorsOf(tag: string): Catalog {
  return JSON.parse(published('kit-auth-languages', `./${tag}.json`)) as Catalog;
}

function textsOf(catalog: Catalog): Catalog {
  return Object.fromEntries(Object.entries(catalog).filter(([key]) => !key.startsWith('$')));
}

/** Rejects invisible characters except joiners. */
function isPageText(value: unknown): value is PageText {
  const hasOther = typeof value === 'string' || Object.hasOwn(Object(value) as object, 'other');
  return (
    hasOther &&
    formsOf(value).every(
      (form) =>
        typeof form === 'string' &&
        form.trim() !== '' &&
        !/(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u.test(form),
    )
  );
}

function formsOf(text: unknown): unknown[] {
  return typeof text === 'object' && text !== null ? Object.values(text) : [text];
}

/** The placeholders of all forms: one of them may leave out the number. */
function placeholdersOf(text: unknown): string {
  const names = formsOf(text).flatMap((form) => [...String(form).matchAll(/\{\w+\}/g)].map(([name]) => name));
  return [...new Set(names)].sort().join();
}

const MAX_NAMES = 20;

function listed(what: string, keys: readonly string[]): string[] {
  const names = keys.slice(0, MAX_NAMES).map((key) => JSON.stringify(key));
  const more = keys.length > MAX_NAMES ? [`${keys.length - MAX_NAMES} more`] : [];
  return keys.length === 0 ? [] : [`${what} ${[...names, ...more].join(', ')}`];
}
