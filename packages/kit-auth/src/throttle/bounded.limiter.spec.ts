import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { BoundedLimiter } from './bounded.limiter.js';

const NOW = 1_700_000_000_000;
beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
});
afterEach(() => {
  jest.useRealTimers();
});

const later = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1000);

/** How many names are somewhere in lists, maps and sets. */
function namesIn(value: unknown): number {
  if (value instanceof Map || value instanceof Set || Array.isArray(value)) {
    return [...(value as Iterable<unknown>)].reduce<number>((sum, one) => sum + namesIn(one), 0);
  }
  return typeof value === 'string' ? 1 : 0;
}

describe('BoundedLimiter', () => {
  it('counts, and forgets a key its duration after the first point', async () => {
    const limiter = new BoundedLimiter(10, 50_000);
    expect(await limiter.get('a')).toBeNull();
    expect(await limiter.penalty('a')).toMatchObject({ consumedPoints: 1, msBeforeNext: 10_000 });
    later(9);
    expect(await limiter.penalty('a', 2)).toMatchObject({ consumedPoints: 3, msBeforeNext: 1000 });
    later(1);
    expect(await limiter.get('a')).toBeNull();
    expect(await limiter.penalty('a', 1, { customDuration: 3 })).toMatchObject({
      consumedPoints: 1,
      msBeforeNext: 3000,
    });
  });

  it('holds no timers', async () => {
    await new BoundedLimiter(10, 50_000).penalty('a');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not wait longer because the clock was set back', async () => {
    const limiter = new BoundedLimiter(10, 50_000);
    await limiter.penalty('a');
    later(-3600);
    expect(await limiter.get('a')).toMatchObject({ consumedPoints: 1, msBeforeNext: 10_000 });
    later(10);
    expect(await limiter.get('a')).toBeNull();
  });

  it('makes room by forgetting the key that was used longest ago', async () => {
    const limiter = new BoundedLimiter(10, 2);
    await limiter.penalty('a');
    await limiter.penalty('b');
    await limiter.get('a');
    await limiter.penalty('c');
    expect(await limiter.get('b')).toBeNull();
    expect([await limiter.get('a'), await limiter.get('c')]).not.toContain(null);
  });

  it('lets new keys make room for new ones, and keeps those that failed often', async () => {
    const limiter = new BoundedLimiter(10, 1000);
    await limiter.penalty('locked', 5);
    for (let i = 0; i < 10_000; i++) {
      await limiter.penalty(`once-${i}`);
    }
    expect(await limiter.get('locked')).toMatchObject({ consumedPoints: 5 });
    expect(limiter.size).toBeLessThanOrEqual(1000);
  });

  it('goes on counting new keys when it is full of keys that failed often', async () => {
    const limiter = new BoundedLimiter(10, 1000);
    for (let i = 0; i < 5000; i++) {
      await limiter.penalty(`often-${i}`, 40);
    }
    for (let i = 1; i <= 5; i++) {
      expect(await limiter.penalty('new')).toMatchObject({ consumedPoints: i });
      await limiter.penalty(`other-${i}`);
    }
    expect(limiter.size).toBeLessThanOrEqual(1000);
  });

  it('has no room for keys whose points were all given back', async () => {
    const limiter = new BoundedLimiter(10, 50_000);
    await limiter.penalty('a', 2);
    await limiter.reward('a');
    expect(limiter.size).toBe(1);
    await limiter.reward('a', 5);
    expect([limiter.size, await limiter.get('a')]).toEqual([0, null]);
  });

  it('holds no more under many names than its keys, whatever became of them', async () => {
    const limiter = new BoundedLimiter(10, 1000);
    for (let i = 0; i < 20_000; i++) {
      await limiter.penalty(`name-${i}`);
      await limiter.penalty(`name-${i - 1}`, i % 40);
      await limiter.get(`name-${i - 2}`);
      await limiter.set(`name-${i - 3}`, i % 7, 10);
      await limiter.reward(`name-${i - 4}`, i % 5);
      await limiter.delete(`name-${i - 5 * (i % 3)}`);
      later(i % 1000 === 0 ? 11 : 0);
      if (limiter.size > 1000) {
        throw new Error(`It counts ${limiter.size} keys`);
      }
    }
    expect(limiter.size).toBeGreaterThan(980);
    expect(namesIn(Object.values(limiter))).toBe(limiter.size);
  });

  it('does what a plain list of events says', async () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ do: fc.constant('penalty' as const), key, n: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constant('custom' as const), key, n: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ do: fc.constant('reward' as const), key, n: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constant('set' as const), key, n: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ do: fc.constant('delete' as const), key, n: fc.constant(0) }),
      fc.record({ do: fc.constant('wait' as const), key, n: fc.integer({ min: 1, max: 12 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        jest.setSystemTime(NOW);
        const limiter = new BoundedLimiter(10, 3);
        const model = new Map<string, { points: number; until: number }>();
        for (const { do: what, key: name, n } of steps) {
          const now = Date.now();
          const live = model.get(name);
          switch (what) {
            case 'penalty':
            case 'custom': {
              const points = what === 'penalty' ? n : 1;
              const seconds = what === 'penalty' ? 10 : n;
              model.set(
                name,
                live ? { ...live, points: live.points + points } : { points, until: now + seconds * 1000 },
              );
              await limiter.penalty(
                name,
                points,
                what === 'custom' ? { customDuration: seconds } : undefined,
              );
              break;
            }
            case 'reward':
              if (live && live.points > n) {
                live.points -= n;
              } else {
                model.delete(name);
              }
              await limiter.reward(name, n);
              break;
            case 'set':
              model.set(name, { points: 7, until: now + n * 1000 });
              await limiter.set(name, 7, n);
              break;
            case 'delete':
              expect(await limiter.delete(name)).toBe(model.delete(name));
              break;
            case 'wait':
              later(n);
              for (const [other, { until }] of model) {
                if (Date.now() >= until) {
                  model.delete(other);
                }
              }
          }
          for (const other of ['a', 'b', 'c']) {
            const wanted = model.get(other);
            const found = await limiter.get(other);
            expect(found && [found.consumedPoints, Date.now() + found.msBeforeNext]).toEqual(
              wanted ? [wanted.points, wanted.until] : null,
            );
          }
        }
      }),
    );
  });
});
