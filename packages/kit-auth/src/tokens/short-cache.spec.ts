import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate } from 'test-support';
import { ShortCache } from './short-cache.js';

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
