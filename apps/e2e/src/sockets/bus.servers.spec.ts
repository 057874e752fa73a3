/** @own-context because it waits for minutes, and other specs go on beside it */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis-6';
import { AUTH_BUS, type AuthBus } from 'kit-auth';
import { KitAuthPostgresBusModule } from 'kit-auth-sockets/postgres';
import { KitAuthRedisBusModule, type RedisBusClient } from 'kit-auth-sockets/redis';
import pg from 'pg';
import { createClient, createCluster, createSentinel, RESP_TYPES } from 'redis';
import {
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

/** Clients that the application has. */
const clients: RedisBusClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client instanceof Redis && client.disconnect()));

function ofApplication(created: unknown): { client: RedisBusClient } {
  const client = created as RedisBusClient & { on(event: 'error', listener: () => void): unknown };
  client.on('error', () => undefined);
  clients.push(client);
  return { client };
}

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

  /** From the loss of its server on. */
  async recovers(): Promise<void> {
    await this.isUp(true);
    this.bus.publish('look', 'found');
    await this.hears('look: found');
    expect(this.lines().map((line) => line.replace(/:.*/, ''))).toEqual([
      expect.stringMatching(/^error .auth. the bus on \w+ is down$/),
      expect.stringMatching(/^log .auth. the bus on \w+ is up again$/),
    ]);
  }
}

/** As an application has it, which uses it for BullMQ, or for commands that must not wait. */
const OPTIONS = {
  maxRetriesPerRequest: null,
  lazyConnect: true,
  keyPrefix: 'app:',
  enableOfflineQueue: false,
  socketTimeout: 800,
};
/** As an application has it, which shares it with a cache of binary values. */
const BINARY = {
  keyPrefix: 'app:',
  commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String } },
};
const KINDS: Record<string, (url: string) => { url: string } | { client: RedisBusClient }> = {
  'Redis by a url': (url) => ({ url }),
  'Redis by a client of redis': (url) => ofApplication(createClient({ url, ...BINARY })),
  'Redis by a client of ioredis 5': (url) => ofApplication(new Redis(url, OPTIONS)),
  'Redis by a client of ioredis 6': (url) => ofApplication(new Redis6(url, OPTIONS)),
  PostgreSQL: (url) => ({ url }),
};

describe.each(Object.entries(KINDS))('the bus on %s', (name, where) => {
  let proxy: SilentProxy;
  let prefix: string;
  const start = (channelPrefix = prefix) => {
    const place = `127.0.0.1:${proxy.port}`;
    return BusApp.start(
      name === 'PostgreSQL'
        ? KitAuthPostgresBusModule.forRoot({
            url: `postgres://postgres:${PASSWORD}@${place}/postgres`,
            channelPrefix,
          })
        : KitAuthRedisBusModule.forRoot({ ...where(`redis://:${PASSWORD}@${place}`), channelPrefix }),
    );
  };
  beforeEach(async () => {
    prefix = `test-${process.pid}-${Math.trunc(Math.random() * 1e9)}:`;
    proxy = new SilentProxy(name === 'PostgreSQL' ? 5432 : redis.port);
    await proxy.listen();
  });
  afterEach(() => proxy.close());

  it('passes texts to all instances of the application and no other, and leaves no connection', async () => {
    const [a, b, other] = [await start(), await start(), await start('other-' + prefix.slice(0, 20))];
    const longest = '\u00e9'.repeat(2048);
    const text = '{"u": "o\'Hara \\" \ud83d\ude00"}';
    a.bus.publish('look', longest);
    a.bus.publish('nobody', 'x');
    a.bus.publish('look-again', text);
    other.bus.publish('look', 'to others');
    await other.hears('look: to others');
    b.bus.publish('look', 'last');
    await b.app.close();
    await a.hears('look: last');
    await a.hears(`look-again: ${text}`);
    expect(a.heard.toSorted()).toEqual([`look: ${longest}`, `look-again: ${text}`, 'look: last'].toSorted());
    expect(other.heard).toEqual(['look: to others']);
    expect([...a.lines(), ...b.lines()]).toEqual([]);
    await Promise.all([a.app.close(), other.app.close()]);
    await until(() => (proxy.connections === 0 ? true : undefined));
  });

  it('comes back when its server does, and says each once', async () => {
    const a = await start();
    const { port } = proxy;
    await proxy.close();
    await a.isUp(false);
    a.bus.publish('look', 'lost');
    await proxy.listen(port);
    await a.recovers();
    expect(a.heard).toEqual(['look: found']);
    await a.app.close();
  });
});

describe('the bus', () => {
  it('survives the end of its connection to PostgreSQL, and keeps the databases of a server apart', async () => {
    const channelPrefix = `test-${process.pid}:`;
    const at = (database: string) =>
      KitAuthPostgresBusModule.forRoot({
        channelPrefix,
        config: { host: '127.0.0.1', user: 'postgres', database, application_name: channelPrefix },
      });
    const [other, a] = [await BusApp.start(at('template1')), await BusApp.start(at('postgres'))];
    const direct = new pg.Client('postgres://postgres@127.0.0.1:5432/postgres');
    await direct.connect();
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = 'postgres'",
      [channelPrefix],
    );
    await direct.end();
    await a.isUp(false);
    await a.recovers();
    other.bus.publish('look', 'here');
    await other.hears('look: here');
    expect([a.heard, other.heard]).toEqual([['look: found'], ['look: here']]);
  });

  it('is down on a Redis without the right to publish', async () => {
    const server = new RedisServer((await freePorts(1))[0]!);
    await server.start();
    const url = `redis://127.0.0.1:${server.port}`;
    const a = await BusApp.start(KitAuthRedisBusModule.forRoot({ url }));
    const direct = await createClient({ url }).connect();
    await direct.aclSetUser('default', ['-publish']);
    a.bus.publish('look', 'not allowed');
    await a.isUp(false);
    expect(a.lines().at(-1)).toContain('is down: Error: NOPERM');
    direct.destroy();
    await a.app.close();
    await server.dispose();
  });

  it.each<[string, (port: number) => unknown]>([
    ['redis', (port) => createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }], ...BINARY })],
    ['ioredis', (port) => new Cluster([port], { lazyConnect: true })],
  ])('passes texts through a cluster, with %s', async (_name, clientOf) => {
    const nodes = await startCluster();
    const [a, b] = [
      await BusApp.start(KitAuthRedisBusModule.forRoot(ofApplication(clientOf(nodes[0]!.port)))),
      await BusApp.start(KitAuthRedisBusModule.forRoot(ofApplication(clientOf(nodes[1]!.port)))),
    ];
    a.bus.publish('look', 'x');
    await b.hears('look: x');
    await Promise.all([a.app.close(), b.app.close()]);
    clients.splice(0).forEach((client) => client instanceof Cluster && client.disconnect());
    await Promise.all(nodes.map((node) => node.dispose()));
  });

  it.each<[string, (sentinel: { host: string; port: number }) => unknown]>([
    ['redis', (sentinel) => createSentinel({ name: 'bus', sentinelRootNodes: [sentinel], ...BINARY })],
    ['ioredis', (sentinel) => new Redis({ name: 'bus', lazyConnect: true, sentinels: [sentinel] })],
  ])('follows a sentinel to another primary, with %s', async (_name, clientOf) => {
    const servers = await startSentinel('bus');
    const client = clientOf({ host: '127.0.0.1', port: servers.sentinel.port });
    const a = await BusApp.start(KitAuthRedisBusModule.forRoot(ofApplication(client)));
    await servers.primary.kill();
    await a.isUp(false);
    await a.recovers();
    await a.app.close();
    await Promise.all(Object.values(servers).map((server) => server.dispose()));
  });
});
