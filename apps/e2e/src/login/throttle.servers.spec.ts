import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis-6';
import type { LoginLimiterFactory } from 'kit-auth';
import pg from 'pg';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient, RESP_TYPES } from 'redis';
import { ALL_BUT_DATE, freePorts, RedisServer, sharedDatabase, SilentProxy } from 'test-support';
import { RIGHTS_OF_THE_GUIDE } from '../session/redis-store.js';
import { FIVE_WRONG, ThrottledApp } from './throttled-app.js';

interface Store {
  limiter: LoginLimiterFactory;
  /** Makes every update of a row take 40 ms, as a busy disk does. */
  slowDown?: () => Promise<unknown>;
  close: () => Promise<void>;
}

const postgres = sharedDatabase('postgres');

/** Clients of Redis as the guide on the throttle creates them, and their limiters. */
const REDIS_CLIENTS: Record<
  string,
  (url: string) => Promise<{ limiter: LoginLimiterFactory; close: () => void }>
> = {
  redis: async (url) => {
    const client = createClient({
      url,
      disableOfflineQueue: true,
      // What an application sets that shares it with a cache of binary values.
      commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String } },
      pingInterval: 250,
      socket: { socketTimeout: 800, reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000) },
    });
    client.on('error', () => undefined);
    await client.connect();
    return {
      limiter: (options) => new RateLimiterRedis({ ...options, storeClient: client, useRedisPackage: true }),
      close: () => client.destroy(),
    };
  },
  'ioredis 5': async (url) => limiterOf(new Redis(url, FAIL_FAST)),
  'ioredis 6': async (url) => limiterOf(new Redis6(url, FAIL_FAST)),
};

const FAIL_FAST = {
  stringNumbers: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  socketTimeout: 800,
};

async function limiterOf(client: Redis | Redis6) {
  client.on('error', () => undefined);
  await once(client, 'ready');
  const limiter: LoginLimiterFactory = (options) => new RateLimiterRedis({ ...options, storeClient: client });
  return { limiter, close: () => client.disconnect() };
}

async function storeOf(name: string): Promise<Store> {
  const { limiter, close } = await REDIS_CLIENTS[name]!('redis://127.0.0.1:6379');
  const mine = `kit-auth-test-${process.pid}:`;
  return {
    limiter: ({ keyPrefix, ...options }) => limiter({ ...options, keyPrefix: mine + keyPrefix }),
    close: async () => {
      close();
      const client = await createClient({ url: 'redis://127.0.0.1:6379' }).connect();
      const keys = await client.keys(`${mine}*`);
      expect(keys.length).toBeGreaterThan(0);
      expect(keys.join()).not.toMatch(/:ada\b|127\.0\.0\.1|192\.0\.2/);
      await client.del(keys);
      await client.close();
    },
  };
}

const STORES: Record<string, () => Promise<Store>> = {
  Redis: () => storeOf('redis'),
  'Redis, with ioredis 5': () => storeOf('ioredis 5'),
  'Redis, with ioredis 6': () => storeOf('ioredis 6'),
  PostgreSQL: async () => {
    await postgres.recreate();
    const pool = new pg.Pool({ connectionString: (postgres.options as { url: string }).url });
    // The pool ends before its connections do, which then see the database go. An idle one tells the pool.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    await pool.query(
      'create table login_throttle (key varchar(255) primary key, points integer not null default 0, expire bigint)',
    );
    return {
      limiter: (options) =>
        new RateLimiterPostgres({
          ...options,
          storeClient: pool,
          tableName: 'login_throttle',
          tableCreated: true,
          clearExpiredByTimeout: false, // its timer outlives the test
        }),
      slowDown: () =>
        pool.query(
          `create function slow() returns trigger as $$ begin perform pg_sleep(0.04); return new; end $$ language plpgsql;
           create trigger slow before update on login_throttle for each row execute function slow()`,
        ),
      close: async () => {
        await pool.end();
        await postgres.drop();
      },
    };
  },
};

const shared = (limiter: LoginLimiterFactory, more: object = {}) =>
  new ThrottledApp({
    trustProxy: true,
    throttle: { limiter, addressFailures: 1000, maxWaitSeconds: 600, ...more },
  }).start();

const loggedOfStore = ({ logs }: ThrottledApp) =>
  logs.ours().filter((line) => line.includes('store of the login throttle'));

describe.each(Object.keys(STORES))('the login throttle over %s', (name) => {
  let store: Store;
  let one: ThrottledApp;
  let two: ThrottledApp;
  beforeAll(async () => {
    store = await (STORES[name] as () => Promise<Store>)();
    [one, two] = await Promise.all([shared(store.limiter), shared(store.limiter)]);
  });
  afterEach(async () => {
    jest.useRealTimers();
    await one.throttle.unlock('ada');
    expect([...loggedOfStore(one), ...loggedOfStore(two)]).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
    await store.close();
  });

  it('has one budget for two instances', async () => {
    expect([...(await one.guess(3)), ...(await two.guess(2))]).toEqual(FIVE_WRONG);
    expect(await one.try('ada', 'right')).toMatch(/^42900 after 1$/);
    expect(await two.try('Ada ', 'right')).toMatch(/^42900 after 1$/);
    expect((await two.throttle.lockedUntil('ada'))!.getTime() - Date.now()).toBeLessThanOrEqual(1000);
    await two.throttle.unlock('ada');
    expect(await one.throttle.lockedUntil('ada')).toBeNull();
    expect(await one.try('bob', 'wrong')).toBe(40110);
    expect(await one.guess(1)).toEqual([40110]);
  });

  it('lets an account that is unlocked in at once, from where it was mistyped too', async () => {
    const from = '192.0.2.77';
    await Promise.all(Array.from({ length: 10 }, () => one.guess(1, 'ada', from)));
    await one.throttle.unlock('ada');
    // Without the unlock, the second of these would come to a closed gate.
    expect(await two.guess(4, 'ada', from)).toEqual([40110, 40110, 40110, 40110]);
    expect(await two.try('ada', 'right', from)).toBe(200);
  });

  it('recognizes a known address at both instances', async () => {
    expect(await one.try('ada', 'right', '192.0.2.1')).toBe(200);
    for (let i = 0; i < 4; i++) {
      await one.guess(1, 'ada', '198.51.100.1');
    }
    // Enough at once that the gate is closed for long.
    await Promise.all(Array.from({ length: 10 }, () => two.guess(1, 'ada', '198.51.100.1')));
    expect(await two.try('ada', 'right', '192.0.2.1')).toBe(200);
    expect(await two.try('ada', 'right', '192.0.2.1')).toBe(200);
  });

  it.each(['at two instances', 'when every write takes long'])(
    'evaluates at most five of twenty parallel guesses %s',
    async (when) => {
      if (when !== 'at two instances') {
        await store.slowDown?.();
      }
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? one : two).try('ada', 'wrong', '192.0.2.88')),
      );
      // A second may go by in between, in which case the gate opened for one more.
      const evaluated = outcomes.filter((outcome) => outcome === 40110).length;
      expect([4, 5, 6]).toContain(evaluated);
      expect(outcomes.filter((outcome) => String(outcome).startsWith('42900'))).toHaveLength(20 - evaluated);
    },
  );
});

describe.each(Object.entries(REDIS_CLIENTS))(
  'the login throttle when Redis is in trouble, with %s',
  (_, connect) => {
    let redis: RedisServer;
    let proxy: SilentProxy;
    let app: ThrottledApp;
    let close: () => void;
    beforeAll(async () => {
      redis = new RedisServer((await freePorts(1))[0]!);
      await redis.start();
      proxy = new SilentProxy(redis.port);
      await proxy.listen();
      const client = await connect(`redis://127.0.0.1:${proxy.port}`);
      close = client.close;
      app = await shared(client.limiter);
    });
    afterEach(() => {
      jest.useRealTimers();
    });
    afterAll(async () => {
      close();
      await redis.dispose();
      await app.close();
      await proxy.close();
    });

    /** Logs in until the throttle has logged so many lines. */
    async function tryUntilLogged(lines: number): Promise<void> {
      const began = performance.now();
      while (loggedOfStore(app).length < lines && performance.now() - began < 10_000) {
        await app.try('eve', 'right');
      }
    }

    it('counts in the process while Redis is frozen or down', async () => {
      jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE] });
      await app.guess(3);
      redis.signal('SIGSTOP');
      expect(await app.guess(5)).toEqual(FIVE_WRONG); // a budget of its own, and no open door
      expect(await app.try('ada', 'right')).toBe('42900 after 1');
      jest.setSystemTime(Date.now() + 1000);
      expect(await app.try('ada', 'right')).toBe(200);
      redis.signal('SIGCONT');
      await redis.kill();
      expect(await app.guess(5, 'bob')).toEqual(FIVE_WRONG);
      expect(await app.guess(1, 'bob')).toEqual(['42900 after 1']);
      expect(loggedOfStore(app)).toEqual([
        expect.stringMatching(/^error \[auth\] the store of the login throttle fails, every process counts/),
      ]);
    }, 30_000);

    it('uses Redis again when it is back', async () => {
      await redis.start();
      await tryUntilLogged(2);
      expect(loggedOfStore(app).slice(1)).toEqual([
        'log [auth] the store of the login throttle answers again',
      ]);
      const client = await createClient({ url: `redis://127.0.0.1:${redis.port}` }).connect();
      expect(await client.keys('kit-auth:login:failures:*')).not.toEqual([]);
      client.destroy();
    }, 30_000);

    it('uses Redis again after a connection that went silent', async () => {
      proxy.silence();
      await tryUntilLogged(4);
      expect(loggedOfStore(app).slice(2)).toEqual([
        expect.stringMatching(/^error \[auth\] the store of the login throttle fails/),
        'log [auth] the store of the login throttle answers again',
      ]);
    }, 30_000);

    it('needs no more rights than the guide says', async () => {
      const admin = await createClient({ url: `redis://127.0.0.1:${redis.port}` }).connect();
      await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>hunter2', ...RIGHTS_OF_THE_GUIDE]);
      const client = await connect(`redis://app:hunter2@127.0.0.1:${redis.port}`);
      const limited = await shared(client.limiter);
      expect(await limited.guess(5)).toEqual(FIVE_WRONG);
      await limited.throttle.unlock('ada');
      expect(await limited.try('ada', 'right')).toBe(200);
      expect(loggedOfStore(limited)).toEqual([]);
      await limited.close();
      client.close();
      admin.destroy();
    });
  },
);
