import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EVERYWHERE, freezeDate, sharedTestApp } from 'test-support';
import { DataSource } from 'typeorm';
import { FIVE_WRONG, ThrottledApp } from './throttled-app.js';

const DAY_MS = 24 * 60 * 60_000;

/** Its rules: `login.throttle.spec.ts` of kit-auth. */
describe.each(EVERYWHERE)('the login throttle on $platform with $provider', (where) => {
  const app = sharedTestApp(new ThrottledApp(where));
  const behindProxy = sharedTestApp(new ThrottledApp({ ...where, trustProxy: true }));
  let later: (milliseconds: number) => void;
  let days = 0;
  beforeEach(() => {
    later = freezeDate(Date.now() + (days += 2) * DAY_MS); // when former failures are forgotten
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('allows five failures and delays the next attempt', async () => {
    expect(await app.guess(5)).toEqual(FIVE_WRONG);
    const answer = await app.login('ada', 'right');
    expect(answer.json).toEqual({
      statusCode: 429,
      code: 42900,
      error: 'TOO_MANY_ATTEMPTS',
      message: expect.any(String),
    });
    expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([
      429,
      '1',
      'no-store',
    ]);
    later(1000);
    expect(await app.try('ada', 'right')).toBe(200);
  });

  it('comes before any row is read', async () => {
    await app.guess(5);
    const queries = jest.spyOn(app.get(DataSource), 'createQueryRunner');
    expect(await app.try('ada', 'right')).toBe('42900 after 1');
    expect(queries).not.toHaveBeenCalled();
  });

  it('ignores X-Forwarded-For by default', async () => {
    for (let i = 1; i <= 5; i++) {
      expect(await app.try(`name-${i}`, 'wrong', `192.0.2.${i}`)).toBe(40110);
    }
    expect(await app.try('name-6', 'wrong', '192.0.2.6')).toBe('42900 after 1');
  });

  it('uses X-Forwarded-For if the application trusts its proxy, and treats a /64 as one address', async () => {
    for (let i = 1; i <= 5; i++) {
      expect(await behindProxy.try(`name-${i}`, 'wrong', `2001:db8::${i}`)).toBe(40110);
    }
    expect(await behindProxy.try('ada', 'right', '2001:0DB8:0::ffff:1')).toBe('42900 after 1');
    expect(await behindProxy.try('ada', 'right', '2001:db8:0:1::1')).toBe(200);
    expect(await behindProxy.try('ada', 'right', '192.0.2.1')).toBe(200);
  });

  it('answers a locked address with the same bytes, whatever account was named', async () => {
    expect(await behindProxy.try('ada', 'right', '198.51.100.1')).toBe(200);
    for (let i = 0; i < 5; i++) {
      await behindProxy.try(`name-${i}`, 'wrong', '198.51.100.1');
    }
    const [known, existing, unknown] = await Promise.all(
      ['ada', 'Ada', 'nobody'].map(async (name) => {
        const answer = await behindProxy.login(name, 'wrong', 'X-Forwarded-For: 198.51.100.1');
        return { ...answer, headers: { ...answer.headers, date: '' } };
      }),
    );
    expect(known).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect([existing, unknown]).toEqual([known, known]);
    expect(await behindProxy.try('ada', 'right', '198.51.100.1')).toBe(200);
  });
});
