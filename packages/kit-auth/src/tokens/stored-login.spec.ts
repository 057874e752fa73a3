import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isOwnedBy, isUserId, ownerOf, userIdFrom } from './stored-login.js';

describe('the id of a session', () => {
  const [secret, short] = ['a'.repeat(43), 'a'.repeat(22)];
  const ada = 'ada' as never;
  const ofAda = createHash('sha256').update('ada').digest('base64url').slice(0, 16);

  it('begins with its owner: a number in base 36, or a hash', () => {
    expect([ownerOf(7), ownerOf(36), ownerOf(2 ** 31 - 1), ownerOf(ada)]).toEqual([
      '7',
      '10',
      'zik0zj',
      ofAda,
    ]);
  });

  it('belongs to its owner only', () => {
    for (const id of [`7.${secret}`, `7.${short}`]) {
      expect([isOwnedBy(id, 7), isOwnedBy(id, 8), isOwnedBy(id, ada)]).toEqual([true, false, false]);
    }
    expect([isOwnedBy(`${ofAda}.${secret}`, ada), isOwnedBy(`${ofAda}.${secret}`, 7)]).toEqual([true, false]);
  });

  it.each([
    '',
    '7',
    '7.',
    `.${secret}`,
    `07.${secret}`,
    `7.${secret}a`,
    `7.${short}a`,
    `7.${'a'.repeat(42)}!`,
    `7${secret}`,
  ])('is malformed: %j', (id) => expect(isOwnedBy(id, 7)).toBe(false));

  it('has no owner with an id that no owner can have', () => {
    expect(isOwnedBy(`-1.${secret}`, -1)).toBe(false);
    expect(isOwnedBy(`1.i.${secret}`, 1.5)).toBe(false);
  });

  it('tells whether the id of its owner is a number', () => {
    expect([userIdFrom(`7.${secret}`, '7'), userIdFrom(`${ofAda}.${secret}`, '7')]).toEqual([7, '7']);
  });

  it.each<[unknown, boolean]>([
    [1, true],
    [2 ** 31 - 1, true],
    [0, false],
    [-1, false],
    [1.5, false],
    [2 ** 31, false],
    [NaN, false],
    ['ada', true],
    ['a b', false],
    ['', false],
  ])('may be that of the user %p: %s', (id, expected) => expect(isUserId(id as never)).toBe(expected));
});
