import { describe, expect, it } from '@jest/globals';
import { idOf, newToken } from './one-time-token.js';

const { token, id } = newToken();

describe('the form of a one-time token', () => {
  it('names its row, and is in none of its columns', () => {
    expect(token).toMatch(/^kato_[\w-]{43}_[0-9a-z]{7}$/);
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(idOf(token)).toBe(id);
    expect(idOf(id)).toBeUndefined();
  });

  it('is never the same twice', () => {
    const tokens = Array.from({ length: 1000 }, () => newToken().token);
    expect(new Set(tokens).size).toBe(1000);
    expect(tokens.every((one) => idOf(one) !== undefined)).toBe(true);
  });

  it('has a checksum that finds every changed character', () => {
    for (let at = 0; at < token.length; at++) {
      for (const other of ['A', 'b', '0', '_', '~', ' ']) {
        const changed = token.slice(0, at) + other + token.slice(at + 1);
        expect([changed, idOf(changed)]).toEqual([changed, changed === token ? id : undefined]);
      }
    }
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a number', 7],
    ['a list', [token]],
    ['an object that looks like a text', { toString: () => token }],
    ['another case', token.toUpperCase()],
    ['a line behind it', `${token}\n`],
    ['a space before it', ` ${token}`],
    ['a NUL', `${token}\0`],
    ['a link', `https://app.example/reset#${token}`],
    ['two of them', token + token],
    ['too short', token.slice(0, -1)],
    ['a megabyte', token.padEnd(2 ** 20, 'a')],
    ['another prefix', token.replace('kato_', 'katr_')],
    ['full-width letters', token.replace('kato', 'ｋａｔｏ')],
  ])('is not %s', (_, other) => {
    expect(idOf(other)).toBeUndefined();
  });
});
