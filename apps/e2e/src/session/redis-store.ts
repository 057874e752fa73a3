import { readFileSync } from 'node:fs';
import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis-6';
import { type IoredisClient, RedisSessionStore, type RedisSessionStoreOptions } from 'kit-auth-session/redis';
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from 'redis';
import type { RedisServer, SilentProxy } from 'test-support';

/** A client as an application has it. */
export interface GivenClient {
  /** For the store. */
  readonly options: Pick<RedisSessionStoreOptions, 'url' | 'client'>;
  isOpen(): boolean;
  close(): void;
}

type Client = (
  url: string,
  more?: { username: string; password: string; keyPrefix?: string },
) => Promise<GivenClient>;
type ClusterClient = (
  nodes: readonly RedisServer[],
  proxies?: readonly SilentProxy[],
) => Promise<GivenClient>;

/** What an application with BullMQ sets, and what would change the keys and answers of the store. */
const OF_THE_APPLICATION = {
  maxRetriesPerRequest: null,
  keyPrefix: 'app:',
  stringNumbers: true,
  enableAutoPipelining: true,
  disconnectTimeout: 0, // a client that is closed while it reconnects does not keep the test run from ending
};

/** The same of a client of `redis`. */
const WITH_REDIS = {
  keyPrefix: 'app:',
  commandOptions: {
    typeMapping: {
      [RESP_TYPES.BLOB_STRING]: Buffer,
      [RESP_TYPES.SIMPLE_STRING]: Buffer,
      [RESP_TYPES.NUMBER]: String,
      [RESP_TYPES.MAP]: Map,
    },
  },
};

type Ioredis = IoredisClient & {
  readonly status: string;
  disconnect(): void;
  on(event: 'error', listener: () => void): unknown;
};

function ioredis(client: Ioredis): GivenClient {
  client.on('error', () => undefined);
  return {
    options: { client },
    isOpen: () => client.status !== 'end',
    close: () => client.disconnect(),
  };
}

/** Where a cluster says that its nodes are, and where they can be reached. */
function addressesOf(nodes: readonly RedisServer[], proxies: readonly SilentProxy[] = []) {
  const ports = (proxies.length > 0 ? proxies : nodes).map(({ port }) => port);
  const entries = nodes.map(({ port }, at) => [`127.0.0.1:${port}`, { host: '127.0.0.1', port: ports[at]! }]);
  return { ports, map: Object.fromEntries(entries) as Record<string, { host: string; port: number }> };
}

/** The rules for `ACL SETUSER` that the guide on Redis shows. */
export const RIGHTS_OF_THE_GUIDE: readonly string[] = /ACL SETUSER app on >password ([^`]+)/
  .exec(readFileSync('docs/guides/redis.md', 'utf8'))![1]!
  .trim()
  .split(/\s+/);

/** The ways to tell a store its server. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  'a url': async (url, more) => ({
    options: {
      url: more === undefined ? url : url.replace('//', `//${more.username}:${more.password}@`),
    },
    isOpen: () => true,
    close: () => undefined,
  }),
  'a client of redis': async (url, more) => {
    const client = createClient({ url, ...WITH_REDIS, ...more });
    client.on('error', () => undefined);
    await client.connect();
    return { options: { client }, isOpen: () => client.isOpen, close: () => client.destroy() };
  },
  'a client of ioredis 5': async (url, more) => ioredis(new Redis(url, { ...OF_THE_APPLICATION, ...more })),
  'a client of ioredis 6': async (url, more) => ioredis(new Redis6(url, { ...OF_THE_APPLICATION, ...more })),
};

/** They cannot be duplicated. */
export const POOLS: Readonly<Record<string, Client>> = {
  'a pool of redis': async (url) => {
    const pool = createClientPool({ url, ...WITH_REDIS });
    pool.on('error', () => undefined);
    await pool.connect();
    return { options: { client: pool }, isOpen: () => pool.isOpen, close: () => pool.destroy() };
  },
};

/** Those whose connections the store makes. */
export const OWN_CLIENTS = Object.keys(CLIENTS).filter((name) => name !== 'a client of redis');

export const CLUSTERS: Readonly<Record<string, ClusterClient>> = {
  redis: async (nodes, proxies) => {
    const { ports, map } = addressesOf(nodes, proxies);
    const client = createCluster({
      rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
      nodeAddressMap: map,
      ...WITH_REDIS,
    });
    client.on('error', () => undefined);
    await client.connect();
    return { options: { client }, isOpen: () => client.isOpen, close: () => client.destroy() };
  },
  'ioredis 5': async (nodes, proxies) => {
    const { ports, map } = addressesOf(nodes, proxies);
    return ioredis(
      new Cluster(ports, { natMap: map, scaleReads: 'slave', redisOptions: OF_THE_APPLICATION }),
    );
  },
  'ioredis 6': async (nodes, proxies) => {
    const { ports, map } = addressesOf(nodes, proxies);
    return ioredis(
      new Cluster6(ports, { natMap: map, scaleReads: 'slave', redisOptions: OF_THE_APPLICATION }),
    );
  },
};

export const SENTINELS: Readonly<Record<string, (name: string, port: number) => Promise<GivenClient>>> = {
  redis: async (name, port) => {
    const client = createSentinel({ name, sentinelRootNodes: [{ host: '127.0.0.1', port }], ...WITH_REDIS });
    client.on('error', () => undefined);
    await client.connect();
    return { options: { client }, isOpen: () => client.isOpen, close: () => void client.destroy() };
  },
  'ioredis 5': async (name, port) =>
    ioredis(new Redis({ ...OF_THE_APPLICATION, name, sentinels: [{ host: '127.0.0.1', port }] })),
  'ioredis 6': async (name, port) =>
    ioredis(new Redis6({ ...OF_THE_APPLICATION, name, sentinels: [{ host: '127.0.0.1', port }] })),
};

/** On this machine's Redis, with keys of its own. @param commandTimeoutMs far above what an honest answer takes */
export function newRedisStore(
  options: Pick<RedisSessionStoreOptions, 'url' | 'client'> = { url: 'redis://127.0.0.1:6379' },
  commandTimeoutMs = 30_000,
): RedisSessionStore {
  return new RedisSessionStore({
    ...options,
    commandTimeoutMs,
    keyPrefix: `kit-auth-test-${process.pid}-${Math.random()}:`,
  });
}
