import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LoginUser, TransportRequest } from 'kit-auth';
import { de, en } from './catalogs.js';
import { languagesOptions } from './languages.options.js';
import { LanguageChoice } from './language.choice.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const requestWith = (header?: string, url = '/') =>
  ({
    url,
    headers: header === undefined ? {} : { 'accept-language': header },
  }) as unknown as TransportRequest;

function choiceOf(options: object = {}) {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const resolved = languagesOptions.resolve({ languages: { en, de, 'de-AT': {} }, ...options });
  return { choice: new LanguageChoice(resolved), warn };
}

describe('the language of a request', () => {
  it.each<[what: string, header: string | undefined, language: string]>([
    ['no header', undefined, 'en'],
    ['many ranges', Array.from({ length: 2000 }, () => 'de').join(','), 'de'],
    ['a range behind 512 characters', `${'fr-aaaaaaaa-bbbbbbbb-cccccccc,'.repeat(18)}de`, 'en'],
    ['a range that would be cut', `fr,${' '.repeat(505)}de-x-klingon`, 'en'],
    ['a member of objects', '__proto__', 'en'],
    ['an excluded fallback', 'en;q=0, de-AT;q=0, *;q=0.1', 'de'],
    ['ten megabytes', 'de,'.repeat(3_500_000), 'de'],
  ])('whose header has %s', (_what, header, language) => {
    const { choice } = choiceOf();
    expect([1, 2].map(() => choice.of(requestWith(header), undefined))).toEqual([language, language]);
  });

  it('is the fallback for a message of a microservice', () => {
    expect(choiceOf({ fallback: 'de' }).choice.of(undefined, undefined)).toBe('de');
  });

  it('may come from a function of the request and the user, which is asked once', () => {
    const from = jest.fn(({ url }: TransportRequest, user: LoginUser | undefined) =>
      user ? 'de-AT' : url.includes('english') ? 'en-GB' : url.includes('french') ? 'fr' : undefined,
    );
    const { choice, warn } = choiceOf({ from });
    const ofUser = requestWith('en');
    const ada = { username: 'ada' } as LoginUser;
    expect([choice.of(ofUser, ada), choice.of(ofUser, undefined)]).toEqual(['de-AT', 'de-AT']);
    expect(from).toHaveBeenCalledTimes(1);
    expect(['/english', '/french', '/'].map((url) => choice.of(requestWith('de', url), undefined))).toEqual([
      ...['en', 'de', 'de'],
    ]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no such column');
      },
      'threw: Error: no such column',
    ],
    ['returns a promise', () => Promise.resolve('de'), 'returned something else'],
    ['returns a promise that rejects', () => Promise.reject(new Error('no')), 'returned something else'],
    ['returns junk', () => 'de_AT!', 'returned something else'],
    ['returns a tag of 16 KB', () => `de-x${'-ab'.repeat(5_000)}`, 'returned something else'],
  ])('is the one of the header if its function %s, which is logged once', async (_name, from, message) => {
    const { choice, warn } = choiceOf({ from });
    expect([1, 2, 3].map(() => choice.of(requestWith('de'), undefined))).toEqual(['de', 'de', 'de']);
    await new Promise((resolve) => setImmediate(resolve)); // a rejection that nobody handles would end the process
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(new RegExp(`${message}.*Accept-Language is used instead`))],
    ]);
  });
});
