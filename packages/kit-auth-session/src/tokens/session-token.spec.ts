import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newToken, readToken, userIdOf } from './session-token.js';

const userId = fc.integer({ min: 1, max: 2 ** 31 - 1 });

describe('a session token', () => {
  it('names its user and its session, which does not give it away', () => {
    fc.assert(
      fc.property(userId, (id) => {
        const made = newToken(id);
        expect(readToken(made.token)).toEqual({ id: made.id, userId: id });
        expect(userIdOf(made.id)).toBe(id);
        expect(made.id).not.toContain(made.token.slice(-51, -8));
        expect(made.id.length).toBeLessThanOrEqual(60);
      }),
    );
  });

  it('cannot be misread: any change of it is noise', () => {
    const { token } = newToken(4711);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'abzAZ019_-. '.split('')), (at, character) => {
        fc.pre(token[at] !== character);
        expect(readToken(token.slice(0, at) + character + token.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it.each([2 ** 31, 2 ** 32, 2 ** 53 - 1, 36 ** 11 - 1])('has no user with the id %d', (id) => {
    const made = newToken(id);
    expect(readToken(made.token)).toBeUndefined();
    expect(userIdOf(made.id)).toBeUndefined();
  });

  it('is unlike any text that is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^kats_\w+_[\w-]{43}_\w{7}$/)), (text) => {
        expect(readToken(text)).toBeUndefined();
      }),
    );
  });
});

describe('the id of a session', () => {
  it.each([
    '',
    '1',
    '1.',
    '.x',
    '0.'.padEnd(45, 'x'),
    '1.short',
    `1.${'x'.repeat(42)}`,
    `zzzzzzzzzzzz.${'x'.repeat(43)}`,
  ])('is not %j', (text) => expect(userIdOf(text)).toBeUndefined());
});
