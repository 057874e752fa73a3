import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type KnownLogin, LoginCache } from './login.cache.js';

const at = (knownAt: number): KnownLogin => ({ userId: 7, expiresAt: 1e9, stamp: undefined, knownAt });

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('what is known about a login', () => {
  it('holds for as many seconds, and not for a clock that was set back', () => {
    const cache = new LoginCache(5);
    cache.noteLive('a', at(10_000));
    expect([9999, 10_000, 14_999, 15_000].map((now) => cache.get('a', now) !== undefined)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    cache.noteLive('b', at(10_000));
    expect(new LoginCache(0).get('b', 10_000)).toBeUndefined();
  });

  it('is its end, whatever was found out before', () => {
    const cache = new LoginCache(5);
    cache.noteLive('a', at(0));
    cache.noteEnd('a', 'kicked');
    cache.noteLive('a', at(0));
    cache.noteEnd('a', 'idle');
    expect([cache.get('a', 0), cache.endOf('a')]).toEqual([undefined, 'kicked']);
  });

  it('is in doubt while a transaction that ends it may be rolled back', () => {
    const cache = new LoginCache(5);
    cache.noteLive('a', at(0));
    cache.markUncertain('a');
    cache.noteLive('a', at(0));
    cache.noteFoundEnd('a', 'kicked');
    expect([cache.get('a', 0), cache.endOf('a'), cache.isUncertain('a')]).toEqual([
      undefined,
      undefined,
      true,
    ]);
    jest.advanceTimersByTime(10_001);
    cache.beginLookup('a');
    cache.noteLive('a', at(0));
    expect([cache.get('a', 0)?.userId, cache.isUncertain('a')]).toEqual([7, false]);
  });

  it('is bounded', () => {
    const cache = new LoginCache(5);
    for (let i = 0; i <= 50_000; i++) {
      cache.noteLive(`live ${i}`, at(0));
      cache.noteEnd(`ended ${i}`, 'kicked');
    }
    expect([cache.get('live 0', 0), cache.endOf('ended 0')]).toEqual([undefined, undefined]);
    expect([cache.get('live 1', 0)?.userId, cache.endOf('ended 1')]).toEqual([7, 'kicked']);
  });
});
