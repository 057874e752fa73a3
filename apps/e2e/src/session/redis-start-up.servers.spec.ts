import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis-6';
import { IllegalStateException } from 'kit-auth';
import { type RedisCommands, RedisSessionStore } from 'kit-auth-session/redis';
import { createClient, createClientPool, createCluster } from 'redis';
import { freePorts, RedisServer, startCluster } from 'test-support';
import { CLIENTS, CLUSTERS, OWN_CLIENTS, RIGHTS_OF_THE_GUIDE } from './redis-store.js';
import { SessionApp } from './app.js';

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

  it('ends for one that is of neither package, and names both', async () => {
    const ioredis = new Redis(url, { lazyConnect: true });
    for (const client of [{}, { hmget: ioredis.hmget.bind(ioredis) }, { eval: direct.eval.bind(direct) }]) {
      expect(await withClient(client)).toMatch(
        /^RedisSessionStore: the client is neither .*import { createClient } from 'redis'.*import { Redis } from 'ioredis'/,
      );
    }
  });

  it('connects a duplicate of a client of ioredis, and leaves the client alone', async () => {
    for (const client of [new Redis(url, { lazyConnect: true }), new Redis6(url, { lazyConnect: true })]) {
      expect(await withClient(client)).toBe('started');
      expect(client.status).toBe('wait');
    }
  });

  it('leaves nothing behind', async () => {
    for (const connect of Object.values(CLIENTS)) {
      const given = await connect(url);
      expect(await startUp(new RedisSessionStore(given.options))).toBe('started');
      expect(given.isOpen()).toBe(true);
      given.close();
    }
    const { hmGet, eval: run } = direct;
    expect(await withClient({ hmGet: hmGet.bind(direct), eval: run.bind(direct) })).toBe('started');
    expect(await direct.keys('*')).toEqual([]);
  });

  const RIGHTS = {
    'no scripts': '~kit-auth:* -@all +@connection +hmget +info',
    'no writes': '~kit-auth:* +@all -hset',
    'other keys': '~other:* +@all',
  };

  it.each(Object.keys(CLIENTS))('ends for a user without the rights, with %s', async (name) => {
    for (const rules of Object.values(RIGHTS)) {
      await direct.sendCommand(['ACL', 'SETUSER', 'app', 'reset', 'on', '>hunter2', ...rules.split(' ')]);
      const given = await CLIENTS[name]!(url, { username: 'app', password: 'hunter2' });
      const message = await startUp(new RedisSessionStore(given.options));
      expect(message).toMatch(
        /^RedisSessionStore: Redis answers ".*(permission|user).*"\. Give the user of the connection the commands and keys/,
      );
      expect(message).not.toContain('hunter2');
      given.close();
    }
  });

  it('ends for a user that may not PING, which clients of redis do', async () => {
    const rules = 'reset on >hunter2 ~kit-auth:* +@all -ping';
    await direct.sendCommand(['ACL', 'SETUSER', 'app', ...rules.split(' ')]);
    const ofUrl = new RedisSessionStore({ url: url.replace('//', '//app:hunter2@') });
    expect(await startUp(ofUrl)).toMatch(/NOPERM .*'ping'.* Give the user/);
  });

  it.each(Object.keys(CLIENTS))('needs no more rights than the guide says, with %s', async (name) => {
    const rules = ['reset', 'on', '>hunter2', ...RIGHTS_OF_THE_GUIDE];
    await direct.sendCommand(['ACL', 'SETUSER', 'app', ...rules]);
    const given = await CLIENTS[name]!(url, { username: 'app', password: 'hunter2', keyPrefix: '' });
    expect(await startUp(new RedisSessionStore(given.options))).toBe('started');
    given.close();
  });

  it.each(OWN_CLIENTS)(
    'ends for a wrong password, with %s',
    async (name) => {
      const given = await CLIENTS[name]!(url, { username: 'nobody', password: 'hunter2' });
      expect(await startUp(new RedisSessionStore(given.options))).toMatch(
        /^RedisSessionStore cannot reach Redis \(.*WRONGPASS .*\): see its url, or the options of its client\.$/,
      );
      given.close();
    },
    10_000,
  );

  it.each(Object.keys(CLIENTS))('ends for a server without scripts, with %s', async (name) => {
    const server = new RedisServer((await freePorts(1))[0]!);
    await server.start('--rename-command', 'EVAL', '');
    const given = await CLIENTS[name]!(`redis://127.0.0.1:${server.port}`);
    expect(await startUp(new RedisSessionStore(given.options))).toMatch(
      /unknown command .*\. The guide on Redis lists what the store needs\.$/,
    );
    given.close();
    await server.dispose();
  });

  it('ends for a client that changes the answers', async () => {
    const client = { hmGet: direct.hmGet.bind(direct), eval: async () => '1' };
    expect(await withClient(client)).toMatch(/without legacyMode/);
  });

  it.each(Object.keys(CLIENTS))('ends for a replica, with %s', async (name) => {
    const replica = new RedisServer((await freePorts(1))[0]!);
    await replica.start('--replicaof', `127.0.0.1 ${redis.port}`);
    const given = await CLIENTS[name]!(`redis://127.0.0.1:${replica.port}`);
    expect(await startUp(new RedisSessionStore(given.options))).toMatch(
      /READONLY .* pass a client of the primary/,
    );
    given.close();
    await replica.dispose();
  });

  it('goes on when the memory is full: sessions that exist still work', async () => {
    await direct.configSet('maxmemory', '1');
    await expect(direct.hSet('x', 'x', 'x')).rejects.toThrow('OOM');
    expect(await withClient(direct)).toBe('started');
    await direct.configSet('maxmemory', '0');
  });

  it('waits for a client that reconnects', async () => {
    const server = new RedisServer((await freePorts(1))[0]!);
    await server.start();
    const socket = { reconnectStrategy: 50 };
    const client = createClient({
      url: `redis://127.0.0.1:${server.port}`,
      disableOfflineQueue: true,
      socket,
    });
    const lost = new Promise((resolve) => client.once('error', resolve));
    client.on('error', () => undefined);
    await client.connect();
    await server.kill();
    await lost;
    const started = withClient(client);
    await server.start();
    expect(await started).toBe('started');
    client.destroy();
    await server.dispose();
  }, 30_000);

  it.each(['a client of ioredis 5', 'a client of ioredis 6'])(
    'waits for a server that starts, with %s',
    async (name) => {
      const server = new RedisServer((await freePorts(1))[0]!);
      const given = await CLIENTS[name]!(`redis://127.0.0.1:${server.port}`);
      const started = startUp(new RedisSessionStore(given.options));
      await server.start();
      expect(await started).toBe('started');
      given.close();
      await server.dispose();
    },
    30_000,
  );

  it('ends when the server is frozen', async () => {
    const given = await Promise.all(OWN_CLIENTS.map((name) => CLIENTS[name]!(url)));
    redis.signal('SIGSTOP');
    expect(await withClient(direct)).toMatch(/^RedisSessionStore: Redis gave no answer in 5000 ms/);
    const messages = await Promise.all(given.map(({ options }) => startUp(new RedisSessionStore(options))));
    for (const message of messages) {
      expect(message).toMatch(
        /^RedisSessionStore cannot reach Redis.*: see its url, or the options of its client\.$/,
      );
    }
    redis.signal('SIGCONT');
    given.forEach((client) => client.close());
  }, 30_000);
});

describe('start-up with a cluster', () => {
  let nodes: RedisServer[];
  beforeAll(async () => {
    nodes = await startCluster();
  }, 30_000);
  afterAll(() => Promise.all(nodes.map((node) => node.dispose())));

  it.each(OWN_CLIENTS)('ends for one node that has to ask another, with %s', async (name) => {
    const given = await Promise.all(nodes.map(({ port }) => CLIENTS[name]!(`redis://127.0.0.1:${port}`)));
    const messages = await Promise.all(given.map(({ options }) => startUp(new RedisSessionStore(options))));
    expect(messages.filter((message) => message !== 'started')).toEqual(
      Array.from({ length: 2 }, () =>
        expect.stringMatching(/MOVED .* pass a client of createCluster\(\), or a Cluster of ioredis/),
      ),
    );
    given.forEach((client) => client.close());
  });

  it.each(Object.keys(CLUSTERS))('starts with a cluster of %s', async (name) => {
    const given = await CLUSTERS[name]!(nodes);
    expect(await startUp(new RedisSessionStore(given.options))).toBe('started');
    given.close();
  });
});
