import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { IllegalStateException } from 'kit-auth';
import { type RedisCommands, RedisSessionStore } from 'kit-auth-session/redis';
import { createClient, createClientPool, createCluster } from 'redis';
import { freePorts, RedisServer, startCluster } from 'test-support';
import { SessionApp } from './session-app.js';

/** The message of start-up, or `started`. */
async function startUp(store: RedisSessionStore): Promise<string> {
  try {
    await store.open();
    return 'started';
  } catch (error) {
    expect(error).toBeInstanceOf(IllegalStateException);
    return (error as Error).message;
  } finally {
    await store.close();
  }
}

const withClient = (client: unknown) => startUp(new RedisSessionStore({ client: client as RedisCommands }));

describe('start-up with a client of Redis', () => {
  let redis: RedisServer;
  let url: string;
  let direct: ReturnType<typeof createClient>;
  beforeAll(async () => {
    redis = new RedisServer((await freePorts(1))[0]!);
    await redis.start();
    url = `redis://127.0.0.1:${redis.port}`;
    direct = createClient({ url });
    direct.on('error', () => undefined);
    await direct.connect();
  });
  afterAll(async () => {
    direct.destroy();
    await redis.dispose();
  });

  it('ends for one that is not connected, and names the cure', async () => {
    const store = new RedisSessionStore({ client: createClient({ url }) });
    const error = await new SessionApp({ session: { store } }).start().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(IllegalStateException);
    expect((error as Error).message).toBe(
      'RedisSessionStore: the client is not connected. Connect it before the application starts: await client.connect()',
    );
    for (const client of [createClientPool({ url }), createCluster({ rootNodes: [{ url }] })]) {
      expect(await withClient(client)).toContain('await client.connect()');
    }
    const closed = createClient({ url });
    await closed.connect();
    closed.destroy();
    expect(await withClient(closed)).toContain('await client.connect()');
  });

  it('ends for one of ioredis, and names the cure', async () => {
    const client = new Redis(url);
    expect(await withClient(client)).toMatch(
      /^RedisSessionStore: the client has no methods hmGet\(\) and eval\(\), .* ioredis\. .*import { createClient } from 'redis'/,
    );
    client.disconnect();
    expect(await withClient({})).toContain("import { createClient } from 'redis'");
  });

  it('leaves nothing behind', async () => {
    expect(await startUp(new RedisSessionStore({ url }))).toBe('started');
    expect(await withClient(direct)).toBe('started');
    const { hmGet, eval: run } = direct;
    expect(await withClient({ hmGet: hmGet.bind(direct), eval: run.bind(direct) })).toBe('started');
    expect(await direct.keys('*')).toEqual([]);
  });

  it('ends for a user without the rights', async () => {
    const rights = {
      'no scripts': '~kit-auth:* -@all +@connection +hmget',
      'no PING': '~kit-auth:* +@all -ping',
      'no writes': '~kit-auth:* +@all -hset',
      'other keys': '~other:* +@all',
    };
    for (const [user, rules] of Object.entries(rights).map(
      ([, entry], at) => [`user-${at}`, entry] as const,
    )) {
      await direct.sendCommand(['ACL', 'SETUSER', user, 'on', '>hunter2', ...rules.split(' ')]);
      const client = createClient({ url, username: user, password: 'hunter2' });
      client.on('error', () => undefined);
      await client.connect();
      const message = await withClient(client);
      expect(message).toMatch(
        /^RedisSessionStore: Redis answers ".*(permission|user).*"\. Give the user of the connection the commands and keys/,
      );
      expect(message).not.toContain('hunter2');
      client.destroy();
      const ofUrl = new RedisSessionStore({ url: url.replace('//', `//${user}:hunter2@`) });
      expect(await startUp(ofUrl)).toBe(message);
    }
  });

  it('needs no more rights than the guide says', async () => {
    const rules =
      '~kit-auth:* resetchannels -@all +@connection +eval +get +set +incrby +del +exists +pttl +pexpireat +hmget +hget ' +
      '+hset +hdel +zadd +zrem +zrange +zrangebyscore +zremrangebyscore';
    await direct.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>hunter2', ...rules.split(' ')]);
    const ofUrl = new RedisSessionStore({ url: url.replace('//', '//app:hunter2@') });
    expect(await startUp(ofUrl)).toBe('started');
  });

  it('ends for a server without scripts', async () => {
    const server = new RedisServer((await freePorts(1))[0]!);
    await server.start('--rename-command', 'EVAL', '');
    expect(await startUp(new RedisSessionStore({ url: `redis://127.0.0.1:${server.port}` }))).toMatch(
      /unknown command .*\. The guide on Redis lists what the store needs\.$/,
    );
    await server.dispose();
  });

  it('ends for a client that changes the answers', async () => {
    const client = { hmGet: direct.hmGet.bind(direct), eval: async () => '1' };
    expect(await withClient(client)).toMatch(/without a type mapping/);
  });

  it('ends for a replica', async () => {
    const replica = new RedisServer((await freePorts(1))[0]!);
    await replica.start('--replicaof', `127.0.0.1 ${redis.port}`);
    expect(await startUp(new RedisSessionStore({ url: `redis://127.0.0.1:${replica.port}` }))).toMatch(
      /READONLY .* pass a client of the primary/,
    );
    await replica.dispose();
  });

  it('goes on when the memory is full: sessions that exist still work', async () => {
    await direct.configSet('maxmemory', '1');
    await expect(direct.hSet('x', 'x', 'x')).rejects.toThrow('OOM');
    expect(await withClient(direct)).toBe('started');
    await direct.configSet('maxmemory', '0');
  });

  it.each([true, false])(
    'waits for a client that reconnects (disableOfflineQueue: %s)',
    async (disableOfflineQueue) => {
      const server = new RedisServer((await freePorts(1))[0]!);
      await server.start();
      const client = createClient({
        url: `redis://127.0.0.1:${server.port}`,
        disableOfflineQueue,
        socket: { reconnectStrategy: 50 },
      });
      const lost = new Promise((resolve) => client.once('error', resolve));
      client.on('error', () => undefined);
      await client.connect();
      await server.kill();
      await lost;
      const started = withClient(client);
      await server.start();
      expect(await started).toBe('started');
      await server.kill();
      expect(await withClient(client)).toMatch(/^RedisSessionStore: Redis gave no answer in 5000 ms/);
      client.destroy();
      await server.dispose();
    },
    30_000,
  );

  it('ends when the server is frozen', async () => {
    const ofUrl = new RedisSessionStore({ url });
    redis.signal('SIGSTOP');
    expect(await withClient(direct)).toMatch(/^RedisSessionStore: Redis gave no answer in 5000 ms/);
    expect(await startUp(ofUrl)).toBe('RedisSessionStore cannot reach Redis: see its url.');
    redis.signal('SIGCONT');
  }, 30_000);
});

describe('start-up with a cluster', () => {
  let nodes: RedisServer[];
  beforeAll(async () => {
    nodes = await startCluster();
  }, 30_000);
  afterAll(() => Promise.all(nodes.map((node) => node.dispose())));

  it('ends for a client of one node that has to ask another, and starts with one of createCluster()', async () => {
    const urls = nodes.map(({ port }) => `redis://127.0.0.1:${port}`);
    const messages = await Promise.all(urls.map((url) => startUp(new RedisSessionStore({ url }))));
    expect(messages.filter((message) => message !== 'started')).toEqual(
      Array.from({ length: 2 }, () => expect.stringMatching(/MOVED .* pass a client of createCluster\(\)/)),
    );
    const cluster = createCluster({ rootNodes: urls.map((url) => ({ url })) });
    await cluster.connect();
    expect(await withClient(cluster)).toBe('started');
    cluster.destroy();
  });
});
