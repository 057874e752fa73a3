import { describe, expect, it } from '@jest/globals';
import { foldCase } from './fold-case.js';

describe('foldCase', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['İnci', 'inci'],
  ])('makes %s equal to %s', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other));
  });

  it.each([
    ['Émile', 'Emile'],
    ['ÖZGÜR', 'OZGUR'],
    ['ａｄａ', 'ada'],
  ])('tells %s and %s apart', (one, other) => {
    expect(foldCase(one)).not.toBe(foldCase(other));
  });

  it('makes all cases and normal forms of every character equal', () => {
    const different: string[] = [];
    // Characters beyond this have no case.
    for (let code = 0; code <= 0x1ffff; code++) {
      const text = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code);
      const folded = foldCase(text);
      const others = [text.toLowerCase(), text.toUpperCase(), text.normalize('NFC'), text.normalize('NFD')];
      if ([folded, ...others].some((other) => other !== text && foldCase(other) !== folded)) {
        different.push(code.toString(16));
      }
    }
    expect(different).toEqual([]);
  });
});
