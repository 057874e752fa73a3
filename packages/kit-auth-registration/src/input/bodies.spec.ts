import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AuthErrorCode, AuthException, type ErrorCode } from 'kit-auth';
import { readLocale, readNickname, readRoles } from './bodies.js';

const READERS = { nickname: readNickname, locale: readLocale, roles: readRoles };

describe('the members of a body', () => {
  it.each<[keyof typeof READERS, unknown, unknown]>([
    ['nickname', ' Ada  ', 'Ada'],
    ['nickname', undefined, undefined],
    ['locale', 'pt-br', 'pt-BR'],
    ['locale', undefined, undefined],
    ['roles', ['editor', 'a:b c'], ['editor', 'a:b c']],
    ['roles', undefined, []],
  ])('%s may be %j', (name, value, read) => {
    expect(READERS[name]({ [name]: value })).toEqual(read);
  });

  it.each<[keyof typeof READERS, unknown]>([
    ['nickname', ''],
    ['locale', 'de_DE'],
    ['locale', ['de']],
    ['locale', `de-x-${'abcdefgh-'.repeat(4)}a`],
    ['roles', 'editor'],
    ['roles', [7]],
    ['roles', ['a\nb']],
    ['roles', ['\ud800']],
    ['roles', ['a', 'a']],
    ['roles', Array.from({ length: 101 }, String)],
  ])('%s may not be %j', (name, value) => {
    expect(codeOf(() => READERS[name]({ [name]: value }))).toBe(AuthErrorCode.BAD_REQUEST);
  });

  it('are own members, and never read otherwise', () => {
    const body = Object.create({ nickname: 'a\u0000', locale: '', roles: 7 });
    expect([readNickname(body), readLocale(body), readRoles(body)]).toEqual([undefined, undefined, []]);
  });

  it('are read or refused with 40000, whatever they are', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(READERS)), fc.anything(), (name, value) => {
        const code = codeOf(() => READERS[name as keyof typeof READERS]({ [name]: value }));
        expect([undefined, AuthErrorCode.BAD_REQUEST]).toContain(code);
      }),
    );
  });
});

function codeOf(read: () => unknown): ErrorCode | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof AuthException) {
      return error.code;
    }
    throw error;
  }
}
