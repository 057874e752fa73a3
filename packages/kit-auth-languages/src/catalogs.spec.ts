import { describe, expect, it } from '@jest/globals';
import { AuthErrorCode } from 'kit-auth';
import { de, en } from './catalogs.js';
import { catalogProblems } from './catalog.problems.js';

const CODES = Object.values(AuthErrorCode).filter((code) => typeof code === 'number');
const KEYS = Object.keys(en);

/** What each placeholder is filled from: an error of another key has no such value. */
const PLACEHOLDERS: Readonly<Record<string, readonly string[]>> = {
  '{count}': ['40000.password-too-short'],
  '{duration}': ['42900'],
  '{missing}': ['40120.missing', '40120.expired'],
};

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function textsOf(entry: (typeof en)[string] | undefined): string[] {
  return typeof entry === 'string' ? [entry] : (Object.values(entry ?? {}) as string[]);
}

describe.each([
  ['en', en],
  ['de', de],
])('the catalog %s', (tag, catalog) => {
  const texts = Object.entries(catalog).flatMap(([key, entry]) =>
    textsOf(entry).map((text) => [key, text] as const),
  );
  const sentences = texts.filter(([key]) => /^\d/.test(key));

  it('has no problem that start-up would refuse', () => {
    expect(catalogProblems(tag, catalog)).toEqual([]);
  });

  it('has a sentence for each code, and the keys of the other', () => {
    expect(Object.keys(catalog)).toEqual(KEYS);
    expect(KEYS).toEqual(expect.arrayContaining(CODES.map(String)));
  });

  it('has the placeholders of each key, and no others', () => {
    const used = Object.keys(PLACEHOLDERS).map((name) => [
      name,
      [...new Set(texts.filter(([, text]) => text.includes(name)).map(([key]) => key))],
    ]);

    expect(Object.fromEntries(used)).toEqual(PLACEHOLDERS);
    expect(texts.filter(([, text]) => text.includes('{time}'))).toEqual([]);
  });

  it.each(sentences)('%s: "%s" is short, calm and whole', (_, text) => {
    expect(text).toMatch(/^[A-ZÄÖÜ][^!]*\.$/);
    expect(text.length).toBeLessThanOrEqual(170);
    expect(text.match(/\b(?:please|bitte)\b/gi) ?? []).toHaveLength(0);
    expect(text).not.toMatch(/ {2}|\.\.|[\u2013\u2014]/);
    // Words for developers.
    expect(text).not.toMatch(/\b(?:token|json|post|endpoint|request body|credential|server|stamp)\b/i);
  });

  it('says the same for what must not be told apart: an unknown user and a wrong password, a code and a passkey', () => {
    const keysOf = (code: AuthErrorCode) =>
      Object.keys(catalog).filter((key) => key.startsWith(String(code)));

    expect(keysOf(AuthErrorCode.LOGIN_FAILED)).toEqual(['40110']);
    expect(keysOf(AuthErrorCode.FACTOR_FAILED)).toEqual(['40113', '40113.challenge-ended']);
    // An unknown, a wrong and a used link.
    expect(keysOf(AuthErrorCode.LINK_INVALID)).toEqual(['40010', '40010.expired', '40010.other-browser']);
  });
});

it('has equal sentences in German where those in English are equal', () => {
  const all = KEYS.filter((key) => /^\d/.test(key));
  const groups = (catalog: typeof en) =>
    all.map((key) => all.find((other) => isSame(catalog[other], catalog[key])));

  expect(groups(de)).toEqual(groups(en));
});

it('speaks to adults in German', () => {
  const german = Object.values(de).flatMap(textsOf);

  expect(german.filter((text) => /\b(?:du|dein\w*|dich|dir|ihr (?:habt|könnt))\b/i.test(text))).toEqual([]);
});
