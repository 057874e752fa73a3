import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthErrorCode, AuthEvents, AuthException, type VerifiedLogin } from 'kit-auth';
import { ALL_BUT_DATE, BOTH, EVERYWHERE, testApp } from 'test-support';
import { DataSource } from 'typeorm';
import { FIVE_WRONG, ThrottledApp, type ThrottledOptions } from './throttled-app.js';

let app: ThrottledApp;
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE] });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const later = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1000);

const open = async (options: ThrottledOptions = {}) => {
  app = await new ThrottledApp(options).start();
};

describe.each(EVERYWHERE)('the login throttle on $platform with $provider', (where) => {
  it('allows five failures and delays the next attempt', async () => {
    await open(where);
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
  });

  it('evaluates five of twenty parallel guesses', async () => {
    await open(where);
    const compare = jest.spyOn(bcrypt, 'compare');
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => app.try('ada', 'wrong')));
    expect(outcomes.filter((outcome) => outcome === 40110)).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === '42900 after 1')).toHaveLength(15);
    expect(compare).toHaveBeenCalledTimes(5);
    later(1);
    expect(await app.guess(2)).toEqual([40110, '42900 after 2']);
  });

  it('ignores X-Forwarded-For by default', async () => {
    await open(where);
    for (let i = 1; i <= 5; i++) {
      expect(await app.try(`name-${i}`, 'wrong', `192.0.2.${i}`)).toBe(40110);
    }
    expect(await app.try('name-6', 'wrong', '192.0.2.6')).toBe('42900 after 1');
  });

  it('uses X-Forwarded-For if the application trusts its proxy, and treats a /64 as one address', async () => {
    await open({ ...where, trustProxy: true });
    for (let i = 1; i <= 5; i++) {
      expect(await app.try(`name-${i}`, 'wrong', `2001:db8::${i}`)).toBe(40110);
    }
    expect(await app.try('ada', 'right', '2001:0DB8:0::ffff:1')).toBe('42900 after 1');
    expect(await app.try('ada', 'right', '2001:db8:0:1::1')).toBe(200);
    expect(await app.try('ada', 'right', '192.0.2.1')).toBe(200);
  });
});

/** Which platform and which tokens there are makes no difference here. */
describe('the login throttle', () => {
  it('doubles the wait with every further failure, up to the longest, and counts no refusal', async () => {
    await open({ throttle: { maxWaitSeconds: 10 } });
    await app.guess(5);
    for (const wait of [1, 2, 4, 8, 10, 10]) {
      expect(await app.guess(3)).toEqual(Array(3).fill(`42900 after ${wait}`));
      later(wait - 0.5);
      expect(await app.guess(1)).toEqual(['42900 after 1']);
      later(0.5);
      expect(await app.guess(1)).toEqual([40110]);
    }
  });

  it('accepts the right password after the wait, and then forgets all failures', async () => {
    await open();
    await app.guess(5);
    later(1);
    expect(await app.guess(1)).toEqual([40110]);
    expect(await app.try('ada', 'right')).toBe('42900 after 2');
    later(2);
    expect(await app.try('ada', 'right')).toBe(200);
    expect(await app.guess(5)).toEqual(FIVE_WRONG);
    expect(await app.guess(1)).toEqual(['42900 after 1']);
  });

  it('comes before any row is read', async () => {
    await open();
    await app.guess(5);
    const queries = jest.spyOn(app.get(DataSource), 'createQueryRunner');
    expect(await app.try('ada', 'right')).toBe('42900 after 1');
    expect(queries).not.toHaveBeenCalled();
  });

  it('has one budget for all spellings of a name', async () => {
    await open({ throttle: { addressFailures: 100 } });
    for (const name of ['ada', 'ADA', ' ada ', '\u00e1da', '\uff41da']) {
      expect(await app.try(name, 'wrong')).toBe(40110);
    }
    for (const name of ['ada', 'Ada', 'ada\u200b']) {
      expect(await app.try(name, 'right')).toBe('42900 after 1');
    }
    expect(await app.try('bob', 'wrong')).toBe(40110);
  });

  it('does not let logins of a similarly named account offset guesses', async () => {
    await open({ throttle: { addressFailures: 1000 } });
    const outcomes = [];
    for (let i = 0; i < 4; i++) {
      outcomes.push(...(await app.guess(3)), await app.try('Ada', 'right'));
    }
    const evaluated = outcomes.filter((outcome) => outcome === 40110);
    expect(evaluated.length).toBeLessThanOrEqual(5);
    later(60);
    expect(await app.try('ada', 'right')).toBe(200);
  });

  it('tells nobody whether there is an account', async () => {
    await open();
    expect(await app.guess(6, 'nobody')).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('slows down an address that tries one name after another', async () => {
    await open();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      expect(await app.try(name, 'wrong')).toBe(40110);
    }
    expect(await app.try('f', 'wrong')).toBe('42900 after 1');
    later(1);
    expect(await app.try('ada', 'right')).toBe(200); // which buys the address nothing
    expect(await app.guess(2, 'g')).toEqual([40110, '42900 after 2']);
  });

  it('does not lock out a known address because others guess, and limits its own guesses', async () => {
    await open({ trustProxy: true });
    expect(await app.try('ada', 'right', '192.0.2.1')).toBe(200);
    expect(await app.guess(6, 'ada', '198.51.100.1')).toEqual([...FIVE_WRONG, '42900 after 1']);
    expect(await app.try('ada', 'right', '203.0.113.1')).toBe('42900 after 1');
    expect(await app.try('ada', 'right', '192.0.2.1')).toBe(200);
    expect(await app.guess(6, 'ada', '192.0.2.1')).toEqual(Array(6).fill('42900 after 1'));
    expect(await app.try('ada', 'right', '192.0.2.1')).toBe('42900 after 1');
    later(1);
    expect(await app.try('ada', 'right', '192.0.2.1')).toBe(200);
    // The guesser's failures are still there: what the known address does is its own.
    expect(await app.guess(2, 'ada', '203.0.113.2')).toEqual([40110, '42900 after 2']);
  });

  it('forgets a known address after thirty days', async () => {
    await open({ trustProxy: true });
    await app.try('ada', 'right', '192.0.2.1');
    later(29 * 86_400);
    await app.guess(5, 'ada', '198.51.100.1');
    expect(await app.try('ada', 'right', '192.0.2.1')).toBe(200);
    later(30 * 86_400);
    await app.guess(5, 'ada', '198.51.100.1');
    expect(await app.try('ada', 'right', '192.0.2.1')).toBe('42900 after 1');
  });

  it('forgets failures a day after the first', async () => {
    await open();
    await app.guess(4);
    later(86_400);
    expect(await app.guess(6)).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('does not count a right password on a disabled account as a failure', async () => {
    await open({ throttle: { addressFailures: 100 } });
    await app.guess(5, 'off');
    expect(await app.try('off', 'right')).toBe('42900 after 1');
    later(1);
    for (let i = 0; i < 10; i++) {
      expect(await app.try('off', 'right')).toBe(40111);
    }
    expect(await app.guess(6, 'off')).toEqual([...FIVE_WRONG, '42900 after 1']);
  });

  it('does not count failures of the database', async () => {
    await open();
    await app.guess(4);
    const { driver } = app.get(DataSource);
    const real = driver.createQueryRunner('master');
    const runner = jest
      .spyOn(driver, 'createQueryRunner')
      .mockImplementation(() =>
        Object.assign(Object.create(real), { query: () => Promise.reject(new Error('connection lost')) }),
      );
    expect(await app.guess(10)).toEqual(Array(10).fill(50300));
    runner.mockRestore();
    expect(await app.guess(2)).toEqual([40110, '42900 after 1']);
  });

  it('has the limits that are configured', async () => {
    await open({ throttle: { failures: 2, addressFailures: 3 } });
    expect(await app.guess(3)).toEqual([40110, 40110, '42900 after 1']);
    expect(await app.guess(2, 'bob')).toEqual([40110, '42900 after 1']);
  });

  it('can be switched off', async () => {
    await open({ throttle: false });
    expect(await app.guess(12)).toEqual(Array(12).fill(40110));
    await app.throttle.unlock('ada');
    expect(await app.throttle.lockedUntil('ada')).toBeNull();
  });
});

const ATTEMPT = { username: 'ada', isPossible: true, first: 'password', fields: {}, client: undefined };
const RIGHT = { user: { username: 'ada' }, stamp: '', proof: { factors: {} } } as VerifiedLogin;

describe('LoginThrottle', () => {
  beforeEach(async () => {
    app = await new ThrottledApp().start();
  });

  it('tells until when an account is locked, and unlocks it', async () => {
    expect(await app.throttle.lockedUntil('ada')).toBeNull();
    await app.guess(5);
    const until = Date.now() + 1000;
    expect(await app.throttle.lockedUntil(' ADA ')).toEqual(new Date(until));
    await app.throttle.unlock(' ADA ');
    expect(await app.throttle.lockedUntil('ada')).toBeNull();
    later(1); // for the address
    expect(await app.guess(1)).toEqual([40110]);
    expect(await app.throttle.lockedUntil('ada')).toBeNull();
  });

  /** Checks a password under the throttle, as logins and password changes do. */
  const guard = async (check: () => Promise<VerifiedLogin>) => {
    const attempt = { ...ATTEMPT, action: app.get(AuthEvents).begin() };
    const verified = await app.throttle.around(attempt, check);
    await app.throttle.succeeded(verified, attempt);
    return verified;
  };

  it('guards any password check, also outside of requests', async () => {
    const wrong = () => Promise.reject(new AuthException(AuthErrorCode.LOGIN_FAILED));
    for (let i = 0; i < 5; i++) {
      await expect(guard(wrong)).rejects.toMatchObject({ code: 40110 });
    }
    const check = jest.fn(async () => RIGHT);
    await expect(guard(check)).rejects.toMatchObject({ code: 42900, retryAfter: 1 });
    expect(check).not.toHaveBeenCalled();
    later(1);
    expect(await guard(check)).toBe(RIGHT);
    expect(await guard(check)).toBe(RIGHT);
  });

  it('lets five of twenty concurrent attempts through and counts all', async () => {
    const check = jest.fn(() => Promise.reject(new AuthException(AuthErrorCode.LOGIN_FAILED)));
    const guess = () => guard(check).catch((error: unknown) => (error as AuthException).code);
    const outcomes = await Promise.all(Array.from({ length: 20 }, guess));
    expect(outcomes.filter((code) => code === AuthErrorCode.TOO_MANY_ATTEMPTS)).toHaveLength(15);
    expect(check).toHaveBeenCalledTimes(5);
    later(1);
    await guess(); // the 21st
    expect(await app.throttle.lockedUntil('ada')).toEqual(new Date(Date.now() + 900_000));
  });

  it('refunds an attempt that fails for another reason', async () => {
    const wrong = () => Promise.reject(new AuthException(AuthErrorCode.LOGIN_FAILED));
    for (let i = 0; i < 4; i++) {
      await guard(wrong).catch(() => undefined);
    }
    for (const trouble of [new Error('x'), undefined, new AuthException(AuthErrorCode.AUTH_UNAVAILABLE)]) {
      await expect(guard(() => Promise.reject(trouble))).rejects.toBe(trouble);
    }
    await expect(guard(wrong)).rejects.toMatchObject({ code: 40110 });
    await expect(guard(wrong)).rejects.toMatchObject({ code: 42900 });
  });
});

describe.each(BOTH)('a limiter of the application on %s', (platform) => {
  const refused = async (limiter: unknown) =>
    testApp({ platform, options: { login: { throttle: { limiter } } } as never }).then(
      () => undefined,
      (error: unknown) => `${(error as Error).name} ${(error as Error).message}`,
    );

  it('that cannot be used ends start-up', async () => {
    for (const limiter of [() => undefined, () => ({ penalty: () => 1 })]) {
      expect(await refused(limiter)).toMatch(
        /^IllegalStateException kit\.auth\.login\.throttle\.limiter must make/,
      );
    }
    const throwing = () => {
      throw new Error('storeClient is not set');
    };
    expect(await refused(throwing)).toMatch(
      /^IllegalStateException kit\.auth\.login\.throttle\.limiter fails: Error: storeClient/,
    );
  });
});
