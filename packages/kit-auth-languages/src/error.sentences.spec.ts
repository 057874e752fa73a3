import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AuthErrorCode, AuthException, type TransportRequest } from 'kit-auth';
import { de, en } from './catalogs.js';
import { LanguageChoice } from './language.choice.js';
import type { Catalog } from './client.js';
import { languagesOptions } from './languages.options.js';
import { ErrorSentences } from './error.sentences.js';

const CODES = Object.values(AuthErrorCode).filter((code) => typeof code === 'number');

function sentencesOf(options: object = {}) {
  const resolved = languagesOptions.resolve(options) as never;
  const sentences = new ErrorSentences(resolved, new LanguageChoice(resolved));
  return (exception: AuthException, language: string) => {
    const request = { url: '/', headers: { 'accept-language': language } } as unknown as TransportRequest;
    return sentences.textOf(exception, request, undefined);
  };
}

describe('the sentence of an error', () => {
  const missing = new AuthException(AuthErrorCode.TOKEN_MISSING);
  const invalid = new AuthException(AuthErrorCode.TOKEN_INVALID);

  it('is in the language of the request, or takes the place of the message', () => {
    expect(sentencesOf()(missing, 'de')).toEqual({ text: de['40100'], language: 'de' });
    expect(sentencesOf({ replaceMessage: true })(missing, 'de')).toEqual({
      message: de['40100'],
      language: 'de',
    });
  });

  it('comes from the parent of a language, then from the fallback, as the catalogs were at start-up', () => {
    const languages: Record<string, Catalog> = {
      en,
      de,
      'de-AT': { '40100': 'Servus.' },
      fr: { '40101': 'Bonjour.' },
    };
    const textOf = sentencesOf({ languages });
    languages['fr'] = { '40101': 'changed' };
    expect([textOf(missing, 'de-AT'), textOf(invalid, 'de-AT')]).toEqual([
      { text: 'Servus.', language: 'de-AT' },
      { text: de['40101'], language: 'de-AT' },
    ]);
    expect([textOf(missing, 'fr'), textOf(invalid, 'fr')]).toEqual([
      { text: en['40100'], language: 'en' },
      { text: 'Bonjour.', language: 'fr' },
    ]);
  });

  it('is missing for codes of the application without one', () => {
    expect(
      sentencesOf()(
        new AuthException(40350, { error: 'TERMS_NOT_ACCEPTED', message: 'Accept the terms' }),
        'de',
      ),
    ).toBeUndefined();
  });

  it('is one of the catalog, whatever was sent', () => {
    const all = new Set([en, de].flatMap((catalog) => Object.values(catalog).flat()));
    const textOf = sentencesOf();
    fc.assert(
      fc.property(
        fc.constantFrom(...CODES),
        fc.constantFrom('en', 'de'),
        fc.string({
          minLength: 5,
          unit: fc.constantFrom('{', '}', 'c', 'a', '7', '{count}', '{missing}', '$&'),
        }),
        (code, language, canary) => {
          const exception = new AuthException(code, {
            reason: canary,
            message: canary,
            missing: [canary] as never,
            details: { canary, expiresAt: canary, count: canary, duration: canary, time: canary },
          });
          expect(all).toContain((textOf(exception, language) as { text: unknown }).text);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('cannot be changed by anybody', () => {
    expect(() => Object.assign(en, { '40110': 'changed' })).toThrow(TypeError);
    expect(() => Object.assign(de['40000.password-too-short'] as object, { one: 'changed' })).toThrow(
      TypeError,
    );
  });
});
