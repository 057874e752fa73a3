import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LoginLimiter, LoginLimiterResult } from '../contract/login-limiter.js';
import { BoundedLimiter } from './bounded.limiter.js';
import { InsuredLimiter, StoreState } from './insured.limiter.js';

type Mood = 'well' | 'fails' | 'throws' | 'silent' | 'nonsense';

/** A store whose mood can be changed. */
class Store extends BoundedLimiter {
  mood: Mood = 'well';
  calls = 0;

  override penalty(key: string, points?: number): Promise<LoginLimiterResult> {
    this.calls++;
    switch (this.mood) {
      case 'fails':
        return Promise.reject(new Error('connection lost'));
      case 'throws':
        throw new Error('not connected');
      case 'silent':
        return new Promise(() => undefined);
      case 'nonsense':
        return Promise.resolve({ consumedPoints: Number.NaN, msBeforeNext: 1000 });
      case 'well':
        return super.penalty(key, points);
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
  store = new Store(100, 1000);
  limiter = new InsuredLimiter(store, new BoundedLimiter(100, 1000), new StoreState(), 5);
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
    expect([await limiter.delete('b'), await limiter.delete('b')]).toEqual([true, false]);
    expect(await limiter.get('b')).toBeNull();
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

  it('takes numbers that are strings', async () => {
    store.penalty = async () => ({ consumedPoints: '7', msBeforeNext: '1500' }) as never;
    expect(await limiter.penalty('a')).toEqual({ consumedPoints: 7, msBeforeNext: 1500 });
    expect(lines).toEqual([]);
  });

  it('waits for a silent store 500 ms, and once', async () => {
    store.mood = 'silent';
    const both = Promise.all([count(), count()]);
    await jest.advanceTimersByTimeAsync(499);
    expect(lines).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await both).toEqual([1, 2]);
    expect(await count()).toBe(3);
    expect(store.calls).toBe(1); // for both
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
    expect(await limiter.delete('a')).toBe(false); // the store has none
    store.mood = 'fails';
    expect(await count()).toBe(1);
  });

  it('makes one call at a time for a key, and one of all that wait', async () => {
    let atOnce = 0;
    let most = 0;
    const slowly = store.penalty.bind(store);
    store.penalty = async (key, points) => {
      most = Math.max(most, ++atOnce);
      await Promise.resolve();
      atOnce--;
      return slowly(key, points);
    };
    const first = count();
    await Promise.resolve();
    await Promise.resolve(); // the first call has begun
    const rest = Promise.all(Array.from({ length: 99 }, count));
    expect([await first, ...(await rest)]).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    expect([store.calls, most]).toEqual([2, 1]);
    await Promise.all(Array.from({ length: 40 }, () => limiter.reward('a')));
    expect(await store.get('a')).toMatchObject({ consumedPoints: 60 });
  });

  it('calls the store for eight keys at once at most, and the deadline of the others begins later', async () => {
    const answers: (() => void)[] = [];
    store.penalty = (key) => new Promise((resolve) => answers.push(() => resolve(super_(key))));
    const super_ = (key: string) => BoundedLimiter.prototype.penalty.call(store, key);
    const counts = Promise.all(Array.from({ length: 20 }, (_, i) => limiter.penalty(`key-${i}`)));
    for (let i = 0; i < 3; i++) {
      await jest.advanceTimersByTimeAsync(400);
      expect(answers.length).toBeLessThanOrEqual(8);
      answers.splice(0).forEach((answer) => answer());
    }
    expect((await counts).map(({ consumedPoints }) => consumedPoints)).toEqual(Array(20).fill(1));
    expect(lines).toEqual([]);
  });

  it('remembers keys at their limit for the time when the store is away, and no others', async () => {
    await limiter.penalty('far', 7);
    await limiter.penalty('near', 4);
    await limiter.penalty('given back', 7);
    await limiter.reward('given back', 7);
    await limiter.set('known', 1, 50);
    store.mood = 'fails';
    const counts = await Promise.all(
      ['far', 'near', 'given back'].map(async (key) => (await limiter.penalty(key)).consumedPoints),
    );
    expect(counts).toEqual([8, 1, 1]);
    expect(await limiter.get('known')).toMatchObject({ consumedPoints: 1 });
  });
});
