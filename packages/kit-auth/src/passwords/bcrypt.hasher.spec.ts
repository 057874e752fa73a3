import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { MAX_PASSWORD_COST } from '../contract/settings.js';
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

  it('grows to the highest cost that can be configured, and no further', async () => {
    const hasher = new BcryptHasher(14);
    hasher.expect(hashOf(16));
    await hasher.dummy('x');
    expect(costs()).toEqual([14]);
    hasher.expect(hashOf(MAX_PASSWORD_COST));
    await hasher.dummy('x');
    expect(costs()).toEqual([14, 14, 14]);
  });

  it('is that of well-formed hashes, one after the other', async () => {
    const steps: string[] = [];
    compare.mockImplementation(async (_password, hash) => {
      steps.push(`begin ${hash.slice(0, 7)}`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`end ${hash.slice(0, 7)}`);
      return false;
    });
    const hasher = new BcryptHasher(8);
    hasher.expect(hashOf(10));
    await hasher.dummy('x');
    const hashes = ['$2b$08$', '$2b$08$', '$2b$09$'];
    expect(steps).toEqual(hashes.flatMap((hash) => [`begin ${hash}`, `end ${hash}`]));
    for (const [, hash] of compare.mock.calls) {
      expect(hash).toMatch(/^\$2b\$\d\d\$\.{53}$/);
    }
  });

  it('is that of an unknown user for a hash of another algorithm', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const hasher = new BcryptHasher(10);
    expect(await hasher.verify('x', '$argon2id$')).toBe(false);
    expect(costs()).toEqual([10]);
  });

  it('is not spent for a right password', async () => {
    compare.mockResolvedValue(true);
    const hasher = new BcryptHasher(12);
    expect(await hasher.verify('x', hashOf(10))).toBe(true);
    expect(costs()).toEqual([10]);
  });
});
