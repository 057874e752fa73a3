import { AuthErrorCode } from 'kit-auth';
import { isObject } from 'kit-auth/tools';
import { en } from './catalogs.js';
import type { Catalog } from './client.js';
import { isTag } from './accept-language.js';

const MAX_LENGTH = 300;
const PLACEHOLDERS: ReadonlySet<string> = new Set(['duration', 'time', 'count', 'missing']);
const CODE = /^(\d{5})(?:\.[a-z\d-]{1,64})?$/;
const NAME = /^(?:factor|role)\.[\w:.-]{1,128}$/;
/** The zero-width joiners are letters of some scripts. */
const INVISIBLE = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const HTML = /[<>]|&#?\w+;/;
/** Counts that occur. Some languages have a category for millions, or for fractions. */
const COUNTS = Array.from({ length: 201 }, (_, count) => count);

/**
 * The problems of a catalog. Each one continues a sentence that begins with the name of the catalog.
 *
 * @param tag its language
 */
export function catalogProblems(tag: string, catalog: unknown): string[] {
  if (!isObject(catalog)) {
    return ['must be an object with sentences by code'];
  }
  return Object.entries(catalog).flatMap(([key, entry]) => {
    const problem = keyProblem(key) ?? entryProblem(tag, key, entry);
    return problem === undefined ? [] : [`${JSON.stringify(key)} ${problem}`];
  });
}

/** The keys that a catalog needs to be complete, as far as the core has them: reasons are declared by packages. */
export const CODE_KEYS: readonly string[] = Object.values(AuthErrorCode)
  .filter((code) => typeof code === 'number')
  .map(String);

function keyProblem(key: string): string | undefined {
  if (key === '$language' || key === '$direction' || NAME.test(key)) {
    return undefined;
  }
  const [, code] = CODE.exec(key) ?? [];
  return code !== undefined && (CODE_KEYS.includes(code) || isOwnCode(Number(code)))
    ? undefined
    : 'is not a valid key. Use a code, a code with a reason such as 40101.idle, factor.*, role.*, $language or $direction';
}

/** True for the codes of an application's own errors. */
function isOwnCode(code: number): boolean {
  return code >= 40_000 && code < 50_000 && code % 100 >= 50;
}

function entryProblem(tag: string, key: string, entry: unknown): string | undefined {
  if (key === '$direction') {
    return entry === 'ltr' || entry === 'rtl' ? undefined : "must be 'ltr' or 'rtl'";
  }
  if (typeof entry === 'string') {
    return textProblem(entry) ?? placeholderProblem(key, entry);
  }
  if (typeof entry !== 'object' || entry === null || !CODE.test(key)) {
    return CODE.test(key)
      ? 'must be a string, a list of them, or an object with plural forms'
      : 'must be a string';
  }
  return Array.isArray(entry)
    ? listProblem(key, entry)
    : pluralProblem(tag, key, entry as Readonly<Record<string, unknown>>);
}

function listProblem(key: string, sentences: readonly unknown[]): string | undefined {
  if (sentences.length === 0) {
    return 'must have at least one sentence';
  }
  const forms = new Map(sentences.map((sentence, i) => [`sentence ${i + 1}`, sentence]));
  return formsProblem(key, forms, 'sentence 1');
}

function pluralProblem(
  tag: string,
  key: string,
  forms: Readonly<Record<string, unknown>>,
): string | undefined {
  const rules = new Intl.PluralRules(isTag(tag) ? tag : undefined);
  const known: readonly string[] = rules.resolvedOptions().pluralCategories;
  const unknown = Object.keys(forms).find((category) => !known.includes(category));
  if (unknown !== undefined) {
    return `has the plural form ${JSON.stringify(unknown)}, but ${tag} has ${known.join(', ')}`;
  }
  const lacking = [...new Set([...COUNTS.map((count) => rules.select(count)), 'other'])].find(
    (category) => !Object.hasOwn(forms, category),
  );
  if (lacking !== undefined) {
    return `lacks the plural form ${lacking} of ${tag}`;
  }
  return formsProblem(key, new Map(Object.entries(forms)), 'other');
}

/** @param full the name of the form that must have all placeholders */
function formsProblem(key: string, forms: ReadonlyMap<string, unknown>, full: string): string | undefined {
  for (const [name, form] of forms) {
    const problem =
      typeof form === 'string'
        ? (textProblem(form) ?? (name === full ? placeholderProblem(key, form) : unknownIn(form)))
        : 'must be a string';
    if (problem !== undefined) {
      return `${problem} (${name})`;
    }
  }
  return undefined;
}

function textProblem(text: string): string | undefined {
  if (text.trim() === '' || text.trim() !== text) {
    return 'must be a text without spaces at its ends';
  }
  if (text.length > MAX_LENGTH) {
    return `must have at most ${MAX_LENGTH} characters`;
  }
  const [invisible] = INVISIBLE.exec(text) ?? [];
  if (invisible !== undefined) {
    const code = (invisible.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
    return `contains the invisible character U+${code}`;
  }
  return HTML.test(text) ? 'must be plain text, without HTML' : undefined;
}

/** All placeholders of the same sentence in English must be there: a translation says no less. */
function placeholderProblem(key: string, text: string): string | undefined {
  const missing = placeholdersOf(fullText(en[key])).find((name) => !placeholdersOf(text).includes(name));
  return unknownIn(text) ?? (missing === undefined ? undefined : `lacks the placeholder {${missing}}`);
}

function unknownIn(text: string): string | undefined {
  const unknown = placeholdersOf(text).find((name) => !PLACEHOLDERS.has(name));
  if (unknown !== undefined || /[{}]/.test(text.replace(/\{\w+\}/g, ''))) {
    return `has an unknown placeholder: use ${[...PLACEHOLDERS].map((name) => `{${name}}`).join(', ')}`;
  }
  return undefined;
}

function placeholdersOf(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

/** The text of a sentence that has all its placeholders. */
function fullText(entry: Catalog[string] = ''): string {
  const [first = ''] = [entry].flat();
  return typeof first === 'string' ? first : first.other;
}
