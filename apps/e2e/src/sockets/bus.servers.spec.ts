/** @own-context because it waits for minutes, and other specs go on beside it */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis-6';
import { AUTH_BUS, type AuthBus } from 'kit-auth';
import { KitAuthPostgresBusModule } from 'kit-auth-sockets/postgres';
import { KitAuthRedisBusModule, type RedisBusClient } from 'kit-auth-sockets/redis';
import pg from 'pg';
import { createClient, createCluster, createSentinel } from 'redis';
import {
  ALL_BUT_DATE,
  freePorts,
  type Import,
  RedisServer,
  SilentProxy,
  startCluster,
  startSentinel,
  type TestApp,
  testApp,
  until,
} from 'test-support';

const PASSWORD = 'hunter2';

let redis: RedisServer;
beforeAll(async () => {
  redis = new RedisServer((await freePorts(1))[0]!);
  await redis.start('--requirepass', PASSWORD);
});
afterAll(() => redis.dispose());

/** An application with a bus, and what it hears. */
class BusApp {
  private constructor(
    readonly app: TestApp,
    readonly bus: AuthBus,
    readonly heard: string[],
  ) {}

  static async start(module: Import): Promise<BusApp> {
    const app = await testApp({ imports: [module] });
    const bus = app.get<AuthBus>(AUTH_BUS);
    const heard: string[] = [];
    for (const channel of ['look', 'look-again']) {
      bus.subscribe(channel, (text) => heard.push(`${channel}: ${text}`));
    }
    return new BusApp(app, bus, heard);
  }

  hears(text: string): Promise<unknown> {
    return until(() => (this.heard.includes(text) ? true : undefined));
  }

  isUp(wanted: boolean): Promise<unknown> {
    return until(() => (this.bus.isUp === wanted ? true : undefined));
  }

  lines(): string[] {
    expect(this.app.logs.all()).not.toContain(PASSWORD);
    return this.app.logs.ours().filter((line) => line.includes('the bus on'));
  }
}

interface Kind {
  readonly server: string;
  readonly target: () => number;
  /** The module, and how to close a client that the application has. */
  readonly module: (port: number, channelPrefix?: string) => readonly [Import, close: () => unknown];
}

function withRedis(clientOf?: (url: string) => RedisBusClient, close?: (client: never) => unknown): Kind {
  return {
    server: 'Redis',
    target: () => redis.port,
    module: (port, channelPrefix) => {
      const url = `redis://:${PASSWORD}@127.0.0.1:${port}`;
      const client = clientOf?.(url);
      const where = client === undefined ? { url } : { client };
      return [
        KitAuthRedisBusModule.forRoot({ ...where, channelPrefix }),
        () => client && close?.(client as never),
      ];
    },
  };
}

function withPostgres(optionsOf: (url: string) => { url: string } | { config: pg.ClientConfig }): Kind {
  return {
    server: 'PostgreSQL',
    target: () => 5432,
    module: (port, channelPrefix) => {
      const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
      return [KitAuthPostgresBusModule.forRoot({ ...optionsOf(url), channelPrefix }), () => undefined];
    },
  };
}

/** As an application has it, which uses it for BullMQ, or for commands that must not wait. */
const OF_THE_APPLICATION = {
  maxRetriesPerRequest: null,
  lazyConnect: true,
  keyPrefix: 'app:',
  enableOfflineQueue: false,
  socketTimeout: 800,
};
const silently = <T extends { on(event: 'error', listener: () => void): unknown }>(client: T): T => {
  client.on('error', () => undefined);
  return client;
};

const KINDS: Record<string, Kind> = {
  'Redis by a url': withRedis(),
  'Redis by a client of redis': withRedis((url) => silently(createClient({ url }))),
  'Redis by a client of ioredis 5': withRedis(
    (url) => silently(new Redis(url, OF_THE_APPLICATION)),
    (client: Redis) => client.disconnect(),
  ),
  'Redis by a client of ioredis 6': withRedis(
    (url) => silently(new Redis6(url, OF_THE_APPLICATION)),
    (client: Redis6) => client.disconnect(),
  ),
  'PostgreSQL by a url': withPostgres((url) => ({ url })),
  'PostgreSQL by options': withPostgres((connectionString) => ({
    config: { connectionString, keepAlive: true },
  })),
};

describe.each(Object.entries(KINDS))('the bus on %s', (_name, { server, target, module }) => {
  let proxy: SilentProxy;
  let prefix: string;
  let closers: (() => unknown)[];
  const start = async (channelPrefix = prefix) => {
    const [imported, close] = module(proxy.port, channelPrefix);
    closers.push(close);
    return BusApp.start(imported);
  };
  beforeEach(async () => {
    [prefix, closers] = [`test-${process.pid}-${Math.trunc(Math.random() * 1e9)}:`, []];
    proxy = new SilentProxy(target());
    await proxy.listen();
  });
  afterEach(async () => {
    jest.useRealTimers();
    closers.forEach((close) => close());
    if (proxy.isListening) {
      await proxy.close();
    }
  });

  it('passes texts to all instances of the application, and to no other', async () => {
    const [a, b, other] = [await start(), await start(), await start('other-' + prefix.slice(0, 20))];
    expect([a.bus.isUp, b.bus.isUp, other.bus.isUp]).toEqual([true, true, true]);
    const longest = '\u00e9'.repeat(2048);
    a.bus.publish('look', `${longest}!`);
    a.bus.publish('look', longest);
    a.bus.publish('nobody', 'x');
    a.bus.publish('look-again', '{"u": "o\'Hara \\" \ud83d\ude00"}');
    other.bus.publish('look', 'to others');
    b.bus.publish('look', 'last');
    for (const app of [a, b]) {
      await app.hears('look: last');
      await app.hears('look-again: {"u": "o\'Hara \\" \ud83d\ude00"}');
      expect(app.heard.toSorted()).toEqual(
        [`look: ${longest}`, 'look-again: {"u": "o\'Hara \\" \ud83d\ude00"}', 'look: last'].toSorted(),
      );
    }
    await other.hears('look: to others');
    expect(other.heard).toEqual(['look: to others']);
    expect([...a.lines(), ...b.lines()]).toEqual([]);
  });

  it('comes back when its server does, and says each once', async () => {
    const [a, b] = [await start(), await start()];
    const { port } = proxy;
    await proxy.close();
    await a.isUp(false);
    await b.isUp(false);
    a.bus.publish('look', 'lost');
    const dead = new SilentProxy(1);
    await dead.listen(port);
    for (let connection = 1; connection <= 5; connection++) {
      await dead.nextConnection(); // and loses it at once
    }
    await dead.close();
    await proxy.listen(port);
    await a.isUp(true);
    await b.isUp(true);
    a.bus.publish('look', 'found');
    await b.hears('look: found');
    expect(b.heard).toEqual(['look: found']);
    const lines = b.lines(); // of both
    const down = lines.filter((line) => /^error .auth. the bus on \w+ is down: \S+: \S+/.test(line));
    const up = lines.filter((line) => line === `log [auth] the bus on ${server} is up again`);
    expect([down.length, up.length, lines.length]).toEqual([2, 2, 4]);
  });

  it('connects again when its connections have gone silent', async () => {
    jest.useFakeTimers({ doNotFake: ALL_BUT_DATE.filter((name) => !name.endsWith('Interval')) });
    const a = await start();
    for (let round = 1; round <= 4; round++) {
      jest.advanceTimersByTime(3000);
      a.bus.publish('look', `after the echo ${round}`);
      await a.hears(`look: after the echo ${round}`);
    }
    expect(a.lines()).toEqual([]);
    proxy.silence();
    jest.advanceTimersByTime(9000);
    expect(a.bus.isUp).toBe(false);
    await a.isUp(true);
    a.bus.publish('look', 'found');
    await a.hears('look: found');
    expect(a.lines()).toEqual([
      expect.stringContaining(`the bus on ${server} is down: Error: no answer in 6 seconds`),
      `log [auth] the bus on ${server} is up again`,
    ]);
  });

  it('gives up a server that accepts connections and never answers', async () => {
    jest.useFakeTimers({ doNotFake: ALL_BUT_DATE.filter((name) => !name.endsWith('Interval')) });
    proxy.answersNone = true;
    const starting = start();
    await proxy.nextConnection();
    jest.advanceTimersByTime(9000);
    const a = await starting;
    expect(a.bus.isUp).toBe(false);
    proxy.answersNone = false;
    await a.isUp(true);
    expect(a.lines()).toHaveLength(2);
  });

  it('sends its last texts, and leaves no connection', async () => {
    const [a, b] = [await start(), await start()];
    a.bus.publish('look', 'last');
    await a.app.close();
    await b.hears('look: last');
    await b.app.close();
    await until(() => (proxy.connections === 0 ? true : undefined));
    a.bus.publish('look', 'too late');
    expect([a.bus.isUp, a.lines(), b.lines()]).toEqual([false, [], []]);
  });
});

/** One application, from the loss of its server on. */
async function recovers(a: BusApp): Promise<void> {
  await a.isUp(true);
  a.bus.publish('look', 'found');
  await a.hears('look: found');
  expect(a.lines().map((line) => line.replace(/:.*/, ''))).toEqual([
    expect.stringMatching(/^error .auth. the bus on \w+ is down$/),
    expect.stringMatching(/^log .auth. the bus on \w+ is up again$/),
  ]);
}

describe('the bus', () => {
  it('survives a Redis that is killed, and one without the right to publish', async () => {
    const server = new RedisServer((await freePorts(1))[0]!);
    await server.start();
    const url = `redis://127.0.0.1:${server.port}`;
    const a = await BusApp.start(KitAuthRedisBusModule.forRoot({ url }));
    await server.kill();
    await a.isUp(false);
    await server.start();
    await recovers(a);
    const direct = await createClient({ url }).connect();
    await direct.aclSetUser('default', ['-publish']);
    a.bus.publish('look', 'not allowed');
    await a.isUp(false);
    expect(a.lines().at(-1)).toContain('is down: Error: NOPERM');
    await direct.aclSetUser('default', ['+publish']);
    await a.isUp(true);
    direct.destroy();
    await a.app.close();
    await server.dispose();
  });

  it('survives the end of its connection to PostgreSQL, and keeps the databases of a server apart', async () => {
    const channelPrefix = `test-${process.pid}:`;
    const at = (database: string) =>
      KitAuthPostgresBusModule.forRoot({
        channelPrefix,
        config: { host: '127.0.0.1', user: 'postgres', database, application_name: channelPrefix },
      });
    const other = await BusApp.start(at('template1'));
    const a = await BusApp.start(at('postgres'));
    const direct = new pg.Client('postgres://postgres@127.0.0.1:5432/postgres');
    await direct.connect();
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = 'postgres'",
      [channelPrefix],
    );
    await a.isUp(false);
    await recovers(a);
    await direct.query('SELECT pg_notify($1, $2)', [`${channelPrefix}bus`, 'nonsense']);
    await direct.query('SELECT pg_notify($1, $2)', [`${channelPrefix}bus`, 'look from elsewhere']);
    await a.hears('look: from elsewhere');
    await direct.end();
    other.bus.publish('look', 'here');
    await other.hears('look: here');
    expect([a.heard, other.heard]).toEqual([['look: found', 'look: from elsewhere'], ['look: here']]);
  });

  it.each<[string, (port: number) => RedisBusClient & { on: unknown }, (client: never) => unknown]>([
    [
      'redis',
      (port) => createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] }),
      () => undefined,
    ],
    [
      'ioredis',
      (port) => new Cluster([port], { lazyConnect: true }),
      (client: Cluster) => client.disconnect(),
    ],
  ])('passes texts through a cluster, with %s', async (_name, clientOf, close) => {
    const nodes = await startCluster();
    const [one, two] = nodes.map(({ port }) => silently(clientOf(port) as never)) as [never, never];
    const a = await BusApp.start(KitAuthRedisBusModule.forRoot({ client: one }));
    const b = await BusApp.start(KitAuthRedisBusModule.forRoot({ client: two }));
    expect([a.bus.isUp, b.bus.isUp]).toEqual([true, true]);
    a.bus.publish('look', 'x');
    await b.hears('look: x');
    await Promise.all([a.app.close(), b.app.close()]);
    [one, two].forEach(close);
    await Promise.all(nodes.map((node) => node.dispose()));
  });

  it.each<[string, (name: string, port: number) => RedisBusClient, (client: never) => unknown]>([
    [
      'redis',
      (name, port) => createSentinel({ name, sentinelRootNodes: [{ host: '127.0.0.1', port }] }),
      () => undefined,
    ],
    [
      'ioredis',
      (name, port) => new Redis({ name, lazyConnect: true, sentinels: [{ host: '127.0.0.1', port }] }),
      (client: Redis) => client.disconnect(),
    ],
  ])('follows a sentinel to another primary, with %s', async (_name, clientOf, close) => {
    const servers = await startSentinel('bus');
    const client = silently(clientOf('bus', servers.sentinel.port) as never);
    const a = await BusApp.start(KitAuthRedisBusModule.forRoot({ client }));
    expect(a.bus.isUp).toBe(true);
    await servers.primary.kill();
    await a.isUp(false);
    await recovers(a);
    await a.app.close();
    close(client);
    await Promise.all(Object.values(servers).map((server) => server.dispose()));
  });
});
