import { describe, expect, it } from '@jest/globals';
import { readTypedCode } from './typed-code.js';

describe('a code that somebody has typed', () => {
  it.each([
    ['in groups', '287 082'],
    ['with tabs and line ends', '\t287082\r\n'],
    ['with a no-break space', '287\u00a0082'],
    ['with an ideographic space', '287\u3000082'],
    ['with a hyphen', '287-082'],
    ['with a no-break hyphen', '287\u2011082'],
    ['with an en dash', '287–082'],
    ['with a minus sign', '287\u2212082'],
    ['with the hyphen of a Japanese keyboard', '287ー082'],
    ['with marks of direction', '\u2068\u200e287082\u2069'],
    ['with a zero-width space and a byte order mark', '\ufeff287\u200b082'],
  ])('may be %s', (_, text) => expect(readTypedCode(text)).toBe('287082'));

  it.each(Intl.supportedValuesOf('numberingSystem').filter((system) => system !== 'hanidec'))(
    'may have digits of the system %s',
    (numberingSystem) => {
      const format = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false });
      expect(readTypedCode(format.format(9012345678))).toBe('9012345678');
    },
  );

  it('may have small and full-width letters', () => {
    expect(readTypedCode('bkＴＷｒｊ')).toBe('BKTWRJ');
  });

  it('keeps what no code has', () => {
    expect(readTypedCode('28.70/82ıé')).toBe('28.70/82ıé');
  });

  it('is not read if it is long', () => {
    expect(readTypedCode(' '.repeat(122) + '287082')).toBe('287082');
    expect(readTypedCode(' '.repeat(123) + '287082')).toBe('');
  });
});
