import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newToken, readToken } from './session-token.js';
import { isOwnedBy, isUserId, userIdFrom } from 'kit-auth/login';

const TEXTS = ['7', 'a', 'A', '67f4c1e2a9b3d4e5f6a7b8c9', 'clx0a1b2c3d4e5f6g7h8i9j0', '~'.repeat(128)];
const textId = fc.oneof(fc.uuid(), fc.constantFrom(...TEXTS), fc.stringMatching(/^[!-~]{1,128}$/));
const userId = fc.integer({ min: 1, max: 2 ** 31 - 1 });

describe('a session token', () => {
  it('names its user and its session, which does not give it away', () => {
    fc.assert(
      fc.property(userId, (id) => {
        const made = newToken(id);
        expect(readToken(made.token)).toEqual({ id: made.id, userId: id });
        expect(isOwnedBy(made.id, id)).toBe(true);
        expect(userIdFrom(made.id, String(id))).toBe(id);
        expect(made.id).not.toContain(made.token.slice(-51, -8));
        expect(made.id.length).toBeLessThanOrEqual(60);
      }),
    );
  });

  it('names its session and no more, for a user with a text id', () => {
    fc.assert(
      fc.property(textId, (text) => {
        const id = text as unknown as number;
        const made = newToken(id);
        expect(readToken(made.token)).toEqual({ id: made.id, userId: undefined });
        expect(made.token).toMatch(/^[\w-]{73}$/);
        expect(isOwnedBy(made.id, id)).toBe(true);
        expect(isOwnedBy(made.id, `${text}x` as unknown as number)).toBe(false);
        expect(userIdFrom(made.id, text)).toBe(text);
        expect(made.id.length).toBeLessThanOrEqual(60);
      }),
    );
  });

  it.each([4711, 'usr_ada' as unknown as number])('cannot be misread: any change of it is noise', (id) => {
    const { token } = newToken(id);
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
    expect(isUserId(id)).toBe(false);
  });

  it.each<[string, (token: string) => string]>([
    ['in quotes', (token) => `"${token}"`],
    ['with a word behind', (token) => `${token} x`],
    ['with a space before', (token) => ` ${token}`],
    ['replaced by 12 KB', () => 'a'.repeat(12_000)],
  ])('is none %s', (_how, textOf) => {
    expect(readToken(textOf(newToken(7).token))).toBeUndefined();
  });

  it('is unlike any text that is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^kats_\w+_[\w-]{43}_\w{7}$/)), (text) => {
        expect(readToken(text)).toBeUndefined();
      }),
    );
  });
});
