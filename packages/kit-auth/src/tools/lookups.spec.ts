import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate } from 'test-support';
import { ClientLeftException } from '../errors/auth.exception.js';
import { SharedLookups, ShortCache } from './lookups.js';

describe('ShortCache', () => {
  let advance: (milliseconds: number) => void;
  beforeEach(() => {
    advance = freezeDate();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('keeps a value for its time', () => {
    const cache = new ShortCache<string, number>(1000);
    cache.set('a', 1, cache.age);
    advance(999);
    expect(cache.get('a')).toBe(1);
    expect(cache.get('b')).toBeUndefined();
    advance(1);
    expect(cache.get('a')).toBeUndefined();
  });

  it('keeps nothing with no time', () => {
    const cache = new ShortCache<string, number>(0);
    cache.set('a', 1, cache.age);
    expect(cache.get('a')).toBeUndefined();
  });

  it('forgets what is evicted, and what was looked up before', () => {
    const cache = new ShortCache<string, number>(1000);
    const { age } = cache;
    cache.set('a', 1, age);
    cache.set('b', 2, age);
    cache.evict('a');
    cache.set('a', 1, age);
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2]);
    cache.evict();
    expect(cache.get('b')).toBeUndefined();
  });

  it('is bounded', () => {
    const cache = new ShortCache<number, number>(1000);
    for (let i = 0; i <= 10_000; i++) {
      cache.set(i, i, cache.age);
    }
    expect([cache.get(0), cache.get(1), cache.get(10_000)]).toEqual([undefined, 1, 10_000]);
  });
});

describe('SharedLookups', () => {
  it('answers every question with a look-up that began later, and shares the look-ups', async () => {
    const found: ((value: number) => void)[] = [];
    const lookups = new SharedLookups<number>(() => new Promise((resolve) => found.push(resolve)));
    const first = lookups.ask('a');
    const later = [lookups.ask('a'), lookups.ask('a')];
    expect(found).toHaveLength(1);
    found[0]?.(1);
    expect(await first).toBe(1);
    expect(found).toHaveLength(2);
    found[1]?.(2);
    expect(await Promise.all(later)).toEqual([2, 2]);
    const last = lookups.ask('a');
    expect(found).toHaveLength(3);
    found[2]?.(3);
    expect(await last).toBe(3);
  });

  it('keeps keys apart', async () => {
    const asked: string[] = [];
    const lookups = new SharedLookups(async (key) => asked.push(key));
    await Promise.all([lookups.ask('a'), lookups.ask('b')]);
    expect(asked).toEqual(['a', 'b']);
  });

  it('asks again for those whose clients have not left', async () => {
    const asked: ((error?: Error) => void)[] = [];
    const lookups = new SharedLookups<number>(
      () =>
        new Promise((resolve, reject) =>
          asked.push((error) => (error ? reject(error) : resolve(asked.length))),
        ),
    );
    const answers = [lookups.ask('a'), lookups.ask('a'), lookups.ask('a')];
    asked[0]?.(new ClientLeftException());
    while (asked.length < 2) {
      await Promise.resolve();
    }
    asked[1]?.();
    await expect(answers[0]).resolves.toBe(2);
    while (asked.length < 3) {
      await Promise.resolve();
    }
    asked[2]?.();
    expect(await Promise.all(answers)).toEqual([2, 3, 3]);
  });

  it('passes a failure on to those who wait, and tries again for the next one', async () => {
    let isBroken = true;
    const lookups = new SharedLookups(async () => {
      await Promise.resolve();
      if (isBroken) {
        throw new Error('broken');
      }
      return 1;
    });
    const outcomes = await Promise.allSettled([lookups.ask('a'), lookups.ask('a'), lookups.ask('a')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    isBroken = false;
    expect(await lookups.ask('a')).toBe(1);
  });
});
