import { describe, expect, it } from '@jest/globals';
import { newCode, readCode } from './login-codes.js';

const CODE = 'BKTWRJHX';

describe('codes of login links', () => {
  it('are eight consonants, each of which comes about', () => {
    const codes = Array.from({ length: 500 }, newCode);
    codes.forEach((code) => expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/));
    expect(new Set(codes).size).toBe(500);
    expect([...new Set(codes.join(''))].sort().join('')).toBe('BCDFGHJKLMNPQRSTVWXZ');
  });

  it.each([
    CODE,
    CODE.toLowerCase(),
    'BKTW-RJHX',
    ' bktw rjhx ',
    'B-K-T-W-R-J-H-X-',
    'ＢＫＴＷ\u00a0ＲＪＨＸ\n',
  ])('may be typed as %j', (typed) => expect(readCode(typed)).toBe(CODE));

  it.each([
    ['seven letters', 'BKTWRJH'],
    ['nine letters', `${CODE}X`],
    ['a vowel', 'BKTWRJHA'],
    ['a Cyrillic letter', 'ВKTWRJHX'],
  ])('are not %s', (_, typed) => {
    expect(readCode(typed)).toBeUndefined();
  });
});
