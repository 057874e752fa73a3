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
    '0-1-2-3-A-B-C-D-E-F-G-H-J-K-M-N-P-Q-R-S-T-V-W-X-',
    'O123AB-CDEFGH-JKMNPQ-RSTVWX',
    'oI23AB-CDEFGH-JKMNPQ-RSTVWX',
    'OL23AB-CDEFGH-JKMNPQ-RSTVWX',
    'oi23ab cdefgh jkmnpq rstvwx',
    'ol23ab cdefgh jkmnpq rstvwx',
  ])('may be typed as %j', (typed) => {
    expect(ID).toMatch(/^[0-9a-f]{64}$/);
    expect(recoveryIdOf('7', typed)).toBe(ID);
  });

  it.each([
    ['another code', '0123AB-CDEFGH-JKMNPQ-RSTVWZ'],
    ['a U', '0123AB-CDEFGH-JKMNPQ-RSTVWU'],
    ['23 characters', '0123AB-CDEFGH-JKMNPQ-RSTVW'],
    ['25 characters', '0123AB-CDEFGH-JKMNPQ-RSTVWXX'],
    ['full-width digits', '０123AB-CDEFGH-JKMNPQ-RSTVWX'],
    ['a dotless i', '0ı23AB-CDEFGH-JKMNPQ-RSTVWX'],
    ['the Kelvin sign', '0123AB-CDEFGH-J\u212aMNPQ-RSTVWX'],
    ['a tab', '0123AB\tCDEFGH-JKMNPQ-RSTVWX'],
    ['a dash', '0123AB–CDEFGH-JKMNPQ-RSTVWX'],
    ['a line break', `${CODE}\n`],
    ['nothing', ''],
    ['hyphens', '----'],
    ['a code of an app', '123456'],
  ])('are not %s', (_, typed) => {
    expect(recoveryIdOf('7', typed)).not.toBe(ID);
  });

  it('have another id for each user', () => {
    expect(recoveryIdOf('8', CODE)).not.toBe(ID);
    expect(recoveryIdOf('70123', CODE.slice(4))).toBeUndefined();
  });
});
