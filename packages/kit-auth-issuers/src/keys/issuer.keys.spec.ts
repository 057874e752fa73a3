import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AuthEvents, NotedEvent } from 'kit-auth';
import { publicJwkOf } from 'kit-auth/tools';
import { freezeDate, MemoryLogger, pairOf } from 'test-support';
import { settingsOf } from '../issuer.js';
import { IssuerKeys } from './issuer.keys.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const ISSUER = settingsOf({ issuer: 'https://login.example.com', audience: 'api', user: 'linked' });

const jwkOf = (kid: string) => ({ ...publicJwkOf(pairOf('ES256').privateKey), kid });
const FIRST = jwkOf('first');
const SECOND = jwkOf('second');

describe('the keys of an issuer', () => {
  let pass: (milliseconds: number) => void;
  let published: object[];
  let freshMs: number;
  let fetches: number;
  let isDown: boolean;
  let release: (() => void) | undefined;
  let noted: NotedEvent[];
  let logs: MemoryLogger;
  let keys: IssuerKeys;
  beforeEach(() => {
    pass = freezeDate();
    [published, freshMs, fetches, isDown, noted] = [[FIRST], 10 * MINUTE_MS, 0, false, []];
    release = undefined;
    logs = new MemoryLogger();
    Logger.overrideLogger(logs);
    const connections = {
      keysOf: async () => {
        fetches++;
        if (release !== undefined) {
          await new Promise<void>((resolve) => (release = resolve));
        }
        if (isDown) {
          throw new Error('connect ECONNREFUSED');
        }
        return { jwks: { keys: published }, freshMs };
      },
    };
    keys = new IssuerKeys(ISSUER, connections, events as unknown as AuthEvents);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const events = { begin: () => ({ note: (event: NotedEvent) => noted.push(event) }) };

  /** How many keys are found, or the code of the refusal. */
  const find = async (kid: string | undefined, alg = 'ES256'): Promise<number> => {
    try {
      const set = await keys.current();
      return (await keys.candidates(set, kid, alg)).length;
    } catch (error) {
      return (error as { code: number }).code;
    }
  };
  const fetched = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return fetches;
  };

  it('are fetched once for all requests that wait', async () => {
    expect(await Promise.all([find('first'), find('first'), find('other')])).toEqual([1, 1, 0]);
    expect(fetches).toBe(1);
  });

  it('are fetched in the background when four fifths of their time are over', async () => {
    await find('first');
    pass(8 * MINUTE_MS - 1);
    expect(keys.current()).not.toBeInstanceOf(Promise);
    expect(await fetched()).toBe(1);
    pass(1);
    expect(keys.current()).not.toBeInstanceOf(Promise);
    expect(await fetched()).toBe(2);
    pass(8 * MINUTE_MS - 1);
    expect(await find('first')).toBe(1);
    expect(fetches).toBe(2);
  });

  it('end when the issuer no longer publishes them, after at most their time', async () => {
    await find('first');
    const before = await keys.current();
    const [key] = before.candidates('first', 'ES256');
    published = [SECOND];
    pass(10 * MINUTE_MS);
    const after = await keys.current();
    expect([after.has(key!), await find('first'), await find('second')]).toEqual([false, 0, 1]);
    const event = { type: 'issuer-keys-changed', success: true, detail: 'login.example.com', kept: false };
    expect(noted).toEqual([event]);
  });

  it('end when the issuer publishes no key at all any more, until it has one again', async () => {
    await find('first');
    published = [];
    pass(10 * MINUTE_MS);
    expect([await find('first'), await find(undefined)]).toEqual([50300, 50300]);
    pass(30 * SECOND_MS);
    published = [FIRST];
    expect(await find('first')).toBe(1);
    expect(logs.lines.map(({ text }) => text).filter((text) => text.startsWith('[issuers]'))).toEqual([
      '[issuers] no keys from login.example.com: Error: none of its keys verifies RS256, PS256, ES256, EdDSA',
      '[issuers] the keys of login.example.com are available again',
    ]);
  });

  it('end when the issuer publishes others under the same kid', async () => {
    await find('first');
    const [key] = (await keys.current()).candidates('first', 'ES256');
    published = [jwkOf('first')];
    pass(10 * MINUTE_MS);
    const set = await keys.current();
    expect([set.has(key!), await find('first')]).toEqual([false, 1]);
  });

  it('stay the same objects while the issuer publishes them', async () => {
    await find('first');
    const [key] = (await keys.current()).candidates('first', 'ES256');
    published = [SECOND, { ...FIRST }];
    pass(10 * MINUTE_MS);
    expect((await keys.current()).has(key!)).toBe(true);
  });

  it('are fetched again for an unknown key, at most every 30 seconds', async () => {
    await find('first');
    pass(30 * SECOND_MS - 1);
    expect(await Promise.all(Array.from({ length: 1000 }, (_, i) => find(`unknown-${i}`)))).toEqual(
      Array.from({ length: 1000 }, () => 0),
    );
    expect(fetches).toBe(1);
    published = [FIRST, SECOND];
    pass(1);
    expect(await Promise.all([find('second'), find('third'), find('first')])).toEqual([1, 0, 1]);
    expect(fetches).toBe(2);
    // A key without the right algorithm is no reason.
    pass(30 * SECOND_MS);
    expect([await find('first', 'RS256'), fetches]).toEqual([0, 2]);
  });

  it('are fetched again when the clock goes back', async () => {
    await find('first');
    published = [SECOND];
    pass(-HOUR_MS);
    expect([await find('first'), await find('second'), fetches]).toEqual([0, 1, 2]);
    published = [SECOND, FIRST];
    pass(-HOUR_MS);
    await find('second');
    pass(-HOUR_MS);
    isDown = true;
    await find('second');
    pass(-HOUR_MS);
    isDown = false;
    expect([await find('second'), await fetched()]).toEqual([1, 5]);
  });

  it('go on for a day while the issuer is away, and requests do not wait', async () => {
    await find('first');
    isDown = true;
    pass(10 * MINUTE_MS);
    expect(await find('first')).toBe(1);
    expect(fetches).toBe(2);
    for (let i = 0; i < 100; i++) {
      expect(keys.current()).not.toBeInstanceOf(Promise);
    }
    expect(await fetched()).toBe(2);
    pass(30 * SECOND_MS);
    expect(keys.current()).not.toBeInstanceOf(Promise);
    expect(await fetched()).toBe(3);
    expect(await find('unknown')).toBe(50300);
    pass(23 * HOUR_MS);
    expect(await find('first')).toBe(1);
    pass(HOUR_MS);
    expect(await find('first')).toBe(50300);
    isDown = false;
    pass(30 * SECOND_MS);
    expect(await find('first')).toBe(1);
    expect(noted.map(({ type }) => type)).toEqual(['issuer-unavailable']);
    const lines = logs.lines.filter(({ text }) => text.startsWith('[issuers]'));
    expect(lines.map(({ level, text }) => `${level} ${text}`)).toEqual([
      'warn [issuers] no keys from login.example.com: Error: connect ECONNREFUSED. Known keys are used for a day',
      'log [issuers] the keys of login.example.com are available again',
    ]);
  });

  describe('of an issuer that hangs', () => {
    let hangs: boolean;
    let signals: AbortSignal[];
    let timeUp: AbortController;
    let limits: number[];
    const keysWith = (limitMs?: number) => {
      const connections = {
        keysOf: (_issuer: unknown, signal: AbortSignal) => {
          signals.push(signal);
          return hangs
            ? new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
            : Promise.resolve({ jwks: { keys: published }, freshMs });
        },
      };
      return new IssuerKeys(ISSUER, connections, events as unknown as AuthEvents, limitMs);
    };
    beforeEach(() => {
      [hangs, signals, limits] = [true, [], []];
      jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
        limits.push(milliseconds);
        timeUp = new AbortController();
        return timeUp.signal;
      });
      keys = keysWith();
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    it.each([
      [1, 0],
      [1001, 900],
      [60_000, 4500],
    ])('are waited for for less than the %i ms that requests may wait: %i ms', async (limitMs, timeoutMs) => {
      hangs = false;
      keys = keysWith(limitMs);
      expect([await find('first'), limits]).toEqual([1, [timeoutMs]]);
    });

    it('are asked for once by all requests, which end together', async () => {
      const found = Promise.all(Array.from({ length: 50 }, () => find('first')));
      timeUp.abort(new Error('the time is up'));
      expect([new Set(await found), signals.length]).toEqual([new Set([50300]), 1]);
      expect([await find('first'), signals.length]).toEqual([50300, 1]);
    });

    it('are waited for once while older ones are known', async () => {
      hangs = false;
      await find('first');
      hangs = true;
      pass(10 * MINUTE_MS);
      const found = find('first');
      timeUp.abort();
      expect(await found).toBe(1);
      for (let i = 0; i < 20; i++) {
        pass(MINUTE_MS);
        expect(keys.current()).not.toBeInstanceOf(Promise);
      }
    });

    it('are no longer waited for when the application closes, which is no failure', async () => {
      const found = find('first');
      keys.close();
      expect([await found, signals[0]?.aborted, noted]).toEqual([50300, true, []]);
      expect(logs.all()).not.toContain('no keys from');
    });
  });

  it('are unavailable while the issuer has never answered', async () => {
    isDown = true;
    expect(await Promise.all([find('first'), find('first')])).toEqual([50300, 50300]);
    expect(() => keys.current()).toThrow(
      expect.objectContaining({
        cause: new Error('no keys from login.example.com: Error: connect ECONNREFUSED'),
      }),
    );
    pass(30 * SECOND_MS - 1);
    expect([await find('first'), fetches]).toEqual([50300, 1]);
    isDown = false;
    pass(1);
    expect([await find('first'), fetches]).toEqual([1, 2]);
  });

  it('do not make requests with known keys wait for an unknown one', async () => {
    await find('first');
    pass(30 * SECOND_MS);
    release = () => undefined;
    const waiting = find('unknown');
    await fetched();
    expect(keys.current()).not.toBeInstanceOf(Promise);
    release();
    expect(await waiting).toBe(0);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an object of keys', { keys: { 0: FIRST } }],
    ['no keys', { keys: [] }],
    ['too many keys', { keys: Array.from({ length: 101 }, (_, i) => ({ ...FIRST, kid: String(i) })) }],
  ])('are not replaced by %s', async (_name, jwks) => {
    const connections = { keysOf: async () => ({ jwks, freshMs }) };
    keys = new IssuerKeys(ISSUER, connections, events as unknown as AuthEvents);
    expect(await find('first')).toBe(50300);
  });
});
