import { describe, expect, it } from '@jest/globals';
import { languageFor, lookUp, readPartOf } from './accept-language.js';

const available = new Map(['en', 'de', 'de-CH', 'zh-Hant', 'pt-BR'].map((tag) => [tag.toLowerCase(), tag]));
const choose = (header: string) => languageFor(header, available, 'en');

describe('the language for Accept-Language', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['de-CH-1996', 'de-CH'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['pt', undefined],
    ['en;q=0.1, de;q=0.9', 'de'],
    ['de;q=0.5, pt-br;q=0.5', 'de'],
    ['DE ; Q = 1.000', 'de'],
    ['de;q=1.001', undefined],
    ['de;q=0.1234', undefined],
    ['de;q=', undefined],
    ['de-', undefined],
    ['*', 'en'],
    ['fr, *;q=0.1', 'en'],
    ['de;q=0, de-AT', undefined],
    ['en;q=0, *', 'de'],
    ['', undefined],
  ])('%j is %s', (header, language) => {
    expect(choose(header)).toBe(language);
  });

  it('reads no more than 20 ranges and 512 characters, and none that it would cut', () => {
    expect(choose(`${'fr,'.repeat(19)}de`)).toBe('de');
    expect(choose(`${'fr,'.repeat(20)}de`)).toBeUndefined();
    expect(readPartOf(`${'a'.repeat(509)},de`)).toHaveLength(512);
    expect(readPartOf(`${'a'.repeat(510)},de`)).toBe(`${'a'.repeat(510)},`);
    expect(readPartOf('a'.repeat(513))).toBe('');
  });

  it('ends for texts that are almost ranges, and finds nothing', () => {
    for (const text of [`de${' '.repeat(508)}x`, 'a-'.repeat(255), `de;q=0.${' '.repeat(500)}x`]) {
      expect(choose(text)).toBeUndefined();
    }
  });

  it('drops a single letter with what follows it', () => {
    expect(lookUp('de-a-foo-bar', new Map(Object.entries({ 'de-a': 1, de: 2 })))).toBe(2);
  });
});
