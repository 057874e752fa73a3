/** @own-context because it waits for minutes, and other specs go on beside it */
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AuthManager, IllegalStateException } from 'kit-auth';
import { RedisSessionStore, type RedisSessionStoreOptions } from 'kit-auth-session/redis';
import { describeSessionStore } from 'kit-auth-testing';
import { createClient } from 'redis';
import { freePorts, MemoryLogger, RedisServer, SilentProxy, startCluster, startSentinel } from 'test-support';
import { CLIENTS, CLUSTERS, type GivenClient, newRedisStore, OWN_CLIENTS, SENTINELS } from './redis-store.js';
import { secretOf, SessionApp } from './app.js';

/** Asks again and again until an answer has a status. Gives up before the timeout of the test. */
async function until(ask: () => Promise<{ status: number }>, wanted: number): Promise<void> {
  const end = performance.now() + 100_000;
  for (let { status } = await ask(); status !== wanted; { status } = await ask()) {
    if (performance.now() > end) {
      expect(status).toBe(wanted);
    }
  }
}

describe.each(OWN_CLIENTS)('sessions while Redis is in trouble, with %s', (name) => {
  let redis: RedisServer;
  let given: GivenClient;
  let app: SessionApp;
  let token: string;
  beforeEach(async () => {
    redis = new RedisServer((await freePorts(1))[0]!);
    await redis.start();
    given = await CLIENTS[name]!(`redis://127.0.0.1:${redis.port}`);
    app = await new SessionApp({ session: { store: new RedisSessionStore(given.options) } }).start();
    token = await app.adminToken();
    expect(await app.stateOf(token)).toBe('live');
  });
  afterEach(async () => {
    given.close();
    // Before the application, so that a test that failed with a frozen server does not wait for it here.
    await redis.dispose();
  });

  /** 503 for a known token and for a login; 40101 only for what needs no store. */
  async function expectUnavailable(): Promise<void> {
    const answers = await Promise.all([app.me(token), app.me(token), app.login('admin', 'admin')]);
    for (const { status, json, headers } of answers) {
      expect([status, json.code, headers['retry-after']]).toEqual([503, 50300, '1']);
    }
    expect((await app.me('nonsense')).json.code).toBe(40101);
    expect((await app.request('/v1/nowhere')).status).toBe(404);
  }

  it('are 503 while it is frozen, and live afterwards', async () => {
    redis.signal('SIGSTOP');
    await expectUnavailable();
    await Promise.all(Array.from({ length: 200 }, () => app.me(token)));
    redis.signal('SIGCONT');
    await until(() => app.me(token), 200);
  });

  it('are 503 while it is down, and 40101 when it returns empty', async () => {
    await redis.kill();
    await expectUnavailable();
    await redis.start();
    await until(() => app.me(token), 401);
    expect(await app.stateOf(await app.adminToken())).toBe('live');
    const ours = app.logs.ours().filter((line) => line.includes('Redis is'));
    expect(ours).toEqual([
      expect.stringContaining('Redis is unreachable'),
      'log [auth] Redis is reachable again',
    ]);
  });

  it('are 40101 if their keys are invalid or deleted', async () => {
    const direct = await createClient({ url: `redis://127.0.0.1:${redis.port}` }).connect();
    const [key] = (await direct.keys('*')).filter((name) => !name.endsWith(':index'));
    await direct.hSet(key!, 'expiresAt', 'junk');
    expect(await app.stateOf(token)).toBe('40101 undefined');
    await direct.hSet(key!, { expiresAt: '1e400', endedBy: 'x', __proto__: 'x' });
    expect(await app.stateOf(token)).toBe('40101 undefined');
    await direct.del(key!);
    await direct.set(key!, '{"userId":1}');
    expect(await app.stateOf(token)).toBe('40101 undefined');
    expect(app.logs.lines.filter(({ level }) => level === 'error')).toHaveLength(3);
    await direct.flushAll();
    expect(await app.stateOf(token)).toBe('40101 undefined');
    direct.destroy();
  });

  it('leave no token and no key without expiry in Redis', async () => {
    const direct = await createClient({ url: `redis://127.0.0.1:${redis.port}` }).connect();
    for (const key of await direct.keys('*')) {
      expect(await direct.pTTL(key)).toBeGreaterThan(0);
      const value = key.endsWith(':index') ? await direct.zRange(key, 0, -1) : await direct.hGetAll(key);
      expect(`${key} ${JSON.stringify(value)}`).not.toContain(secretOf(token));
    }
    direct.destroy();
  });
});

describe.each(Object.entries(CLIENTS))(
  'a connection to Redis that goes silent, made from %s',
  (_, connect) => {
    let proxy: SilentProxy;
    let given: GivenClient;
    let app: SessionApp;
    let token: string;
    beforeEach(async () => {
      proxy = new SilentProxy(6379);
      await proxy.listen();
      given = await connect(`redis://127.0.0.1:${proxy.port}`);
      app = await new SessionApp({ session: { store: newRedisStore(given.options, 500) } }).start();
      token = await app.adminToken();
    });
    afterEach(async () => {
      await proxy.close();
      await app.close();
      given.close();
    });

    it('is replaced while requests are tried, again and again, and the given client stays open', async () => {
      const ask = async () => (await Promise.all(Array.from({ length: 20 }, () => app.me(token))))[0]!;
      for (let round = 0; round < 2; round++) {
        proxy.silence();
        expect((await ask()).status).toBe(503);
        await until(ask, 200);
        expect(await app.stateOf(token)).toBe('live');
      }
      const lines = app.logs.ours().filter((line) => line.includes('Redis is'));
      const [lost, back] = ['error [auth] Redis is unreachable', 'log [auth] Redis is reachable again'];
      expect(lines).toEqual([lost, back, lost, back].map((line) => expect.stringContaining(line)));
      await app.close();
      expect(given.isOpen()).toBe(true);
    }, 30_000);

    it('is replaced after a new one was never answered', async () => {
      proxy.answersNone = true;
      await proxy.cut();
      expect((await app.me(token)).status).toBe(503);
      proxy.answersNone = false;
      await until(() => app.me(token), 200);
    }, 30_000);
  },
);

describe('a connection to Redis that goes silent', () => {
  it('is noticed without a request if the store created it', async () => {
    const proxy = new SilentProxy(6379);
    await proxy.listen();
    const store = new RedisSessionStore({ url: `redis://127.0.0.1:${proxy.port}` });
    await store.open();
    const next = proxy.nextConnection();
    proxy.silence();
    await next;
    await store.close();
    await proxy.close();
  }, 10_000);

  it('is logged, with the remedy, if the client cannot be duplicated', async () => {
    const logger = new MemoryLogger();
    Logger.overrideLogger(logger);
    const proxy = new SilentProxy(6379);
    await proxy.listen();
    const given = createClient({ url: `redis://127.0.0.1:${proxy.port}` }).on('error', () => undefined);
    await given.connect();
    const store = new RedisSessionStore({
      client: {
        hmGet: (key, fields) => given.hmGet(key, fields),
        eval: (script, options) => given.eval(script, options),
      },
    });
    proxy.silence();
    const told = new Promise<void>((resolve) => {
      const { error } = logger;
      logger.error = (...parts) => {
        error(...parts);
        resolve();
      };
    });
    await expect(store.find('1.x')).rejects.toThrow('gave no answer');
    await told;
    expect(logger.ours()).toEqual([expect.stringMatching(/pingInterval.*socketTimeout.*reconnectStrategy/)]);
    await store.close();
    given.destroy();
    await proxy.close();
  });
});

describe('a Redis that is not there', () => {
  it.each<RedisSessionStoreOptions>([
    {},
    { url: '' },
    { client: null as never },
    { url: 'redis://x', client: {} as never },
    { url: 'redis://x', commandTimeoutMs: 0 },
    { url: 'redis://x', commandTimeoutMs: '1' as never },
  ])('%j are no options of a store', (options) =>
    expect(() => new RedisSessionStore(options)).toThrow(IllegalStateException),
  );

  it.each(['redis://user:hunter2@host:port', 'http://user:hunter2@host', 'redis://user:hunter2@host/name'])(
    '%s ends start-up, and is not in the error',
    async (url) => {
      const error = await new RedisSessionStore({ url }).open().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(IllegalStateException);
      expect((error as Error).message).toMatch(/url must be like redis:.*encodeURIComponent\(\)/);
      expect(inspect(error)).not.toContain('hunter2');
    },
  );
});

describe.each(Object.entries(CLUSTERS))('a cluster, with a client of %s', (name, connect) => {
  let nodes: RedisServer[];
  let given: GivenClient;
  let store: RedisSessionStore;
  beforeAll(async () => {
    nodes = await startCluster();
    given = await connect(nodes);
    store = new RedisSessionStore(given.options);
    await store.open();
  }, 30_000);
  afterAll(async () => {
    await store.close();
    given.close();
    await Promise.all(nodes.map((node) => node.dispose()));
  });

  describeSessionStore(`Redis Cluster, with ${name}`, () => store);

  /** An application with tokens of users on all nodes. */
  async function startWithTokens(client: GivenClient): Promise<{ app: SessionApp; tokens: string[] }> {
    const app = await new SessionApp({ session: { store: new RedisSessionStore(client.options) } }).start();
    const users = await Promise.all(Array.from({ length: 8 }, () => app.user()));
    const tokens: string[] = [];
    for (const { username } of users) {
      tokens.push(await app.tokenOf(username));
    }
    return { app, tokens };
  }

  it('goes on when the connections to one of its nodes go silent', async () => {
    const proxies = nodes.map(({ port }) => new SilentProxy(port));
    await Promise.all(proxies.map((proxy) => proxy.listen()));
    const client = await connect(nodes, proxies);
    const { app, tokens } = await startWithTokens(client);
    proxies[1]!.silence();
    for (const token of tokens) {
      await until(() => app.me(token), 200);
      expect(await app.stateOf(token)).toBe('live');
    }
    await app.close();
    client.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }, 30_000);

  it('is shared by two instances, and left open by both', async () => {
    const session = () => ({ realm: 'shop', store: new RedisSessionStore(given.options) });
    const start = () => new SessionApp({ session: session() }).start();
    const [one, two] = [await start(), await start()];
    const token = await one.adminToken();
    expect([await one.stateOf(token), await two.stateOf(token)]).toEqual(['live', 'live']);
    await two.get(AuthManager).logout(token);
    expect(await one.stateOf(token)).toBe('40101 logged-out');
    await Promise.all([one.close(), two.close()]);
    expect(given.isOpen()).toBe(true);
  });

  it('is 503 for the users of a node that is down, and live for the others', async () => {
    const { app, tokens } = await startWithTokens(given);
    await nodes[1]!.kill();
    const statuses = await Promise.all(tokens.map(async (token) => (await app.me(token)).status));
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    await nodes[1]!.start('--cluster-enabled', 'yes');
    for (const [at, token] of tokens.entries()) {
      // The node has come back without its sessions.
      await until(() => app.me(token), statuses[at] === 200 ? 200 : 401);
    }
    await app.close();
  }, 60_000);
});

describe.each(Object.entries(SENTINELS))('Redis with a sentinel, and a client of %s', (_, connect) => {
  it('has its sessions after a failover', async () => {
    const { primary, replica, sentinel } = await startSentinel('kit-auth');
    const given = await connect('kit-auth', sentinel.port);
    const app = await new SessionApp({ session: { store: new RedisSessionStore(given.options) } }).start();
    const token = await app.adminToken();
    const direct = await createClient({ url: `redis://127.0.0.1:${replica.port}` }).connect();
    while ((await direct.dbSize()) < 2); // the session and its index
    direct.destroy();
    await primary.kill();
    expect((await app.me(token)).status).toBe(503);
    await until(() => app.me(token), 200);
    expect(await app.stateOf(await app.adminToken())).toBe('live');
    await app.close();
    given.close();
    await Promise.all([primary, replica, sentinel].map((server) => server.dispose()));
  }, 60_000);
});
