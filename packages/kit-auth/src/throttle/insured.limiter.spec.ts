import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { LoginLimiter } from '../contract/login-limiter.js';
import { BoundedLimiter } from './bounded.limiter.js';
import { InsuredLimiter, StoreState } from './insured.limiter.js';

type Mood = 'well' | 'fails' | 'throws' | 'silent' | 'nonsense';

/** A store whose mood can be changed. */
class Store extends BoundedLimiter {
  mood: Mood = 'well';
  calls = 0;

  override penalty(key: string): Promise<RateLimiterRes> {
    this.calls++;
    switch (this.mood) {
      case 'fails':
        return Promise.reject(new Error('connection lost'));
      case 'throws':
        throw new Error('not connected');
      case 'silent':
        return new Promise(() => undefined);
      case 'nonsense':
        return Promise.resolve(new RateLimiterRes(0, 1000, Number.NaN));
      case 'well':
        return super.penalty(key);
    }
  }
}

let lines: string[];
let store: Store;
let limiter: LoginLimiter;
beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  for (const level of ['error', 'log'] as const) {
    jest.spyOn(Logger.prototype, level).mockImplementation((text) => lines.push(`${level} ${text}`));
  }
  store = new Store(100);
  limiter = new InsuredLimiter(store, new BoundedLimiter(100), new StoreState());
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const count = async () => (await limiter.penalty('a')).consumedPoints;

describe('InsuredLimiter', () => {
  it('is the store while that is well', async () => {
    expect([await count(), await count(), await count()]).toEqual([1, 2, 3]);
    await limiter.reward('a');
    expect(await store.get('a')).toMatchObject({ consumedPoints: 2 });
    await limiter.set('b', 1, 5);
    expect(await limiter.get('b')).toMatchObject({ consumedPoints: 1 });
    expect([await limiter.delete('b'), await limiter.delete('b'), await limiter.get('b')]).toEqual([
      true,
      false,
      null,
    ]);
    expect(lines).toEqual([]);
  });

  it.each<Mood>(['fails', 'throws', 'nonsense'])(
    'counts by itself while the store %s, and says so once',
    async (mood) => {
      await count();
      store.mood = mood;
      expect([await count(), await count(), await count()]).toEqual([1, 2, 3]);
      expect(store.calls).toBe(2); // the rest did not bother it
      jest.advanceTimersByTime(1000);
      expect(await count()).toBe(4);
      expect(store.calls).toBe(3);
      expect(lines).toEqual([expect.stringContaining('error [auth] the store of the login throttle fails')]);
      store.mood = 'well';
      jest.advanceTimersByTime(1000);
      expect([await count(), await count()]).toEqual([2, 3]);
      expect(lines.slice(1)).toEqual(['log [auth] the store of the login throttle answers again']);
    },
  );

  it('waits for a silent store 500 ms, and once', async () => {
    store.mood = 'silent';
    const both = Promise.all([count(), count()]);
    await jest.advanceTimersByTimeAsync(499);
    expect(lines).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await both).toEqual([1, 2]);
    expect(await count()).toBe(3);
    expect(store.calls).toBe(2);
    expect(lines).toEqual([expect.stringContaining('no answer in 500 ms')]);
    jest.advanceTimersByTime(1000);
    const first = count();
    expect(await count()).toBe(4); // while the first still tries the store
    await jest.advanceTimersByTimeAsync(500);
    expect(await first).toBe(5);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('forgets both counts of a key', async () => {
    store.mood = 'fails';
    await count();
    store.mood = 'well';
    jest.advanceTimersByTime(1000);
    expect(await limiter.delete('a')).toBe(true);
    store.mood = 'fails';
    expect(await count()).toBe(1);
  });
});
