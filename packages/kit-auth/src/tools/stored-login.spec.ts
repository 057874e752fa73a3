import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isOwnedBy, isUserId, ownerOf, userIdFrom } from './stored-login.js';

describe('the id of a session', () => {
  const [secret, short] = ['a'.repeat(43), 'a'.repeat(22)];
  const ada = 'ada' as never;
  const ofAda = createHash('sha256').update('ada').digest('base64url').slice(0, 16);

  it('begins with its owner: a number in base 36, or a hash', () => {
    const owners = [7, 36, 2 ** 31 - 1, ada].map((id) => ownerOf(id));
    expect(owners).toEqual(['7', '10', 'zik0zj', ofAda]);
  });

  it('belongs to its owner only', () => {
    for (const id of [`7.${secret}`, `7.${short}`]) {
      expect([isOwnedBy(id, 7), isOwnedBy(id, 8), isOwnedBy(id, ada)]).toEqual([true, false, false]);
    }
    expect([isOwnedBy(`${ofAda}.${secret}`, ada), isOwnedBy(`${ofAda}.${secret}`, 7)]).toEqual([true, false]);
  });

  it.each<[string, string[]]>([
    ['a part is missing', ['', '7', '7.', `.${secret}`, `7${secret}`]],
    ['the owner is spelled differently', [`07.${secret}`]],
    ['the secret has another length', [`7.${secret}a`, `7.${short}a`, `7.${'a'.repeat(42)}!`]],
  ])('is malformed where %s', (_what, ids) => {
    expect(ids.filter((id) => isOwnedBy(id, 7))).toEqual([]);
  });

  it('has no owner with an id that no owner can have', () => {
    expect(isOwnedBy(`-1.${secret}`, -1)).toBe(false);
    expect(isOwnedBy(`1.i.${secret}`, 1.5)).toBe(false);
  });

  it('tells whether the id of its owner is a number', () => {
    expect([userIdFrom(`7.${secret}`, '7'), userIdFrom(`${ofAda}.${secret}`, '7')]).toEqual([7, '7']);
  });

  it('may be that of a user with a whole number above 0, or a text', () => {
    const isId = (id: unknown) => isUserId(id as never);
    expect([1, 2 ** 31 - 1, 'ada'].filter(isId)).toHaveLength(3);
    expect([0, -1, 1.5, 2 ** 31, NaN, 'a b', ''].filter(isId)).toEqual([]);
  });
});
