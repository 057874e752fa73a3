import { describe, expect, it } from '@jest/globals';
import { newRecoveryCodes, recoveryIdOf } from './recovery-codes.js';

const CODE = '0123AB-CDEFGH-JKMNPQ-RSTVWX';
const ID = recoveryIdOf('7', CODE);

describe('recovery codes', () => {
  it('are ten, of 24 characters of Crockford in four groups', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}(?:-[0-9A-HJKMNP-TV-Z]{6}){3}$/);
      expect(recoveryIdOf('7', code)).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it('use the whole alphabet', () => {
    const seen = new Set(Array.from({ length: 50 }, newRecoveryCodes).flat().join('').replaceAll('-', ''));
    expect([...seen].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
  });

  it.each([
    '0123ab-cdefgh-jkmnpq-rstvwx',
    '0123ABCDEFGHJKMNPQRSTVWX',
    ' 0123 ABCD EFGH JKMN PQRS TVWX ',
    'O123AB-CDEFGH-JKMNPQ-RSTVWX',
    'ol23ab cdefgh jkmnpq rstvwx',
    '0123AB–CDEFGH\u00a0JKMNPQ\u2011RSTVWX\n',
    'ｏ１２３ＡＢ　ＣＤＥＦＧＨ－ＪＫＭＮＰＱ－ＲＳＴＶＷＸ',
  ])('may be typed as %j', (typed) => {
    expect(ID).toMatch(/^[0-9a-f]{64}$/);
    expect(recoveryIdOf('7', typed)).toBe(ID);
  });

  it.each([
    ['another code', '0123AB-CDEFGH-JKMNPQ-RSTVWZ'],
    ['a U', '0123AB-CDEFGH-JKMNPQ-RSTVWU'],
    ['23 characters', '0123AB-CDEFGH-JKMNPQ-RSTVW'],
    ['a dotless i', '0ı23AB-CDEFGH-JKMNPQ-RSTVWX'],
    ['a Cyrillic letter', '0123АB-CDEFGH-JKMNPQ-RSTVWX'],
  ])('are not %s', (_, typed) => {
    expect(recoveryIdOf('7', typed)).not.toBe(ID);
  });

  it('have another id for each user', () => {
    expect(recoveryIdOf('8', CODE)).not.toBe(ID);
    expect(recoveryIdOf('70123', CODE.slice(4))).toBeUndefined();
  });
});
