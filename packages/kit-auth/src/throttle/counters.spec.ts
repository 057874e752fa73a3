import { describe, expect, it } from '@jest/globals';
import type { LoginLimiterFactory, LoginLimiterOptions } from '../contract/login-limiter.js';
import type { KitAuthSettings } from '../contract/settings.js';
import { BoundedLimiter } from './bounded.limiter.js';
import { Counters } from './counters.js';

const counters = (throttle: unknown) => new Counters({ login: { throttle } } as KitAuthSettings);

describe('Counters', () => {
  it.each([false, {}])(
    'count in memory without a limiter of the application (throttle: %j)',
    async (throttle) => {
      const make = counters(throttle).kind('exports', 2, 60);
      const [one, other] = [make(), make()];
      await one.penalty('a');
      expect(await one.penalty('a')).toMatchObject({ consumedPoints: 2 });
      expect(await other.get('a')).toBeNull();
    },
  );

  it('count in the limiter of the application, one for each kind', async () => {
    const made: LoginLimiterOptions[] = [];
    const stores: BoundedLimiter[] = [];
    const limiter: LoginLimiterFactory = (options) => {
      made.push(options);
      const store = new BoundedLimiter(options.duration, 100);
      stores.push(store);
      return store;
    };
    const all = counters({ limiter });
    const exports = all.kind('exports', 2, 60);
    const [one, other] = [exports(), exports(5)];
    await one.penalty('a');
    await other.penalty('a');
    await all.make('email:address', 5, 3600).penalty('a');
    expect(made).toEqual([
      { keyPrefix: 'kit-auth:exports', points: 2, duration: 60 },
      { keyPrefix: 'kit-auth:email:address', points: 5, duration: 3600 },
    ]);
    expect(await stores[0]!.get('a')).toMatchObject({ consumedPoints: 2 });
    expect(await stores[1]!.get('a')).toMatchObject({ consumedPoints: 1 });
  });

  it('refuse a key that has no points left', async () => {
    const limit = counters(false).limit('exports', 2, 60, 'mail');
    await limit.count('a');
    await limit.count('a');
    const refusal = await limit.count('a').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 42900, retryAfter: 60 });
    await limit.count('b');
  });

  it.each<[string, unknown]>([
    ['makes none', () => undefined],
    ['makes something else', () => ({ get: () => undefined })],
    ['is none', 'redis'],
    [
      'throws',
      () => {
        throw new Error('storeClient is not set');
      },
    ],
  ])('name the option when the function of the application %s', (_, limiter) => {
    expect(() => counters({ limiter }).make('exports', 2, 60)).toThrow(
      /^kit\.auth\.login\.throttle\.limiter (?:must make a limiter|fails: (?:TypeError|Error: storeClient is not set))/,
    );
  });
});
