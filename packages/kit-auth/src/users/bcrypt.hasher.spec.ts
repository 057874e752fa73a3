import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { BcryptHasher } from './password.hashing.js';

/** A hash of this cost that matches no password. */
const hashOf = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'a'.repeat(53)}`;

describe('the time of a refused password', () => {
  let compare: jest.SpiedFunction<(password: string, hash: string) => Promise<boolean>>;
  const costs = () => compare.mock.calls.map(([, hash]) => Number(hash.slice(4, 6)));

  beforeEach(() => {
    compare = jest.spyOn(bcrypt as { compare(password: string, hash: string): Promise<boolean> }, 'compare');
    compare.mockResolvedValue(false);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is that of the configured cost', async () => {
    await new BcryptHasher(10).dummy('x');
    expect(costs()).toEqual([10]);
  });

  it.each<[string, (hasher: BcryptHasher) => unknown]>([
    ['read', (hasher) => hasher.expect(hashOf(12))],
    ['verified', (hasher) => hasher.verify('x', hashOf(12))],
  ])('grows to that of a costlier hash once it was %s', async (_how, learn) => {
    const hasher = new BcryptHasher(10);
    await learn(hasher);
    compare.mockClear();
    await hasher.dummy('x');
    expect(costs()).toEqual([10, 10, 11]);
    compare.mockClear();
    await hasher.verify('x', hashOf(11));
    expect(costs()).toEqual([11, 11]);
  });

  it('does not grow with a cost that is too high, a cheaper one, or no hash', async () => {
    const hasher = new BcryptHasher(10);
    [hashOf(31), hashOf(4), 'plain'].forEach((hash) => hasher.expect(hash));
    await hasher.dummy('x');
    expect(costs()).toEqual([10]);
  });

  it('is not spent for a right password', async () => {
    compare.mockResolvedValue(true);
    const hasher = new BcryptHasher(12);
    expect(await hasher.verify('x', hashOf(10))).toBe(true);
    expect(costs()).toEqual([10]);
  });
});
