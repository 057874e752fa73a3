import { type RedisCommands, type Renewable, retryDelay } from './redis.client.js';

/** A client or cluster of `ioredis`, of which the store uses a duplicate. */
export interface IoredisClient {
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>;
  duplicate(): unknown;
}

interface Redis extends IoredisClient {
  readonly isCluster: false;
  readonly status: string;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  duplicate(options?: object): Redis;
  connect(): Promise<void>;
  disconnect(): void;
  on(event: string, listener: (error?: Error) => void): unknown;
  once(event: string, listener: () => void): unknown;
}

interface Cluster extends Omit<Redis, 'isCluster' | 'duplicate'> {
  readonly isCluster: true;
  readonly options: { readonly redisOptions?: object };
  duplicate(nodes: [], options: object): Cluster;
}

/** Client options that the store overrides. */
const ANSWERS = { keyPrefix: '', stringNumbers: false };

export function isIoredis(client: RedisCommands | IoredisClient): client is IoredisClient {
  const { hmGet, hmget, duplicate } = client as Partial<RedisCommands & IoredisClient>;
  return hmGet === undefined && typeof hmget === 'function' && typeof duplicate === 'function';
}

/**
 * A client with the server of the application's client, and with its own connections and time-outs: BullMQ, for example,
 * needs a client that retries for ever, and the store one that fails at once.
 */
export class IoredisCommands implements Renewable {
  private constructor(private readonly client: Redis | Cluster) {}

  /** @param timeoutMs how long the store waits for an answer */
  static duplicateOf(client: IoredisClient, timeoutMs: number): IoredisCommands {
    const given = client as Redis | Cluster;
    const commandTimeout = Math.max(2 * timeoutMs, 1000);
    const connection = {
      ...ANSWERS,
      connectTimeout: 1000,
      // Also for the commands with which a connection begins. Without it, a server that does not answer them blocks
      // the client for ever.
      commandTimeout,
      disconnectTimeout: 0,
      monitor: false,
    };
    // Requests do not wait for an unavailable server.
    const both = { lazyConnect: true, enableOfflineQueue: false, enableAutoPipelining: false };
    if (given.isCluster) {
      const cluster = given.duplicate([], {
        ...ANSWERS,
        ...both,
        clusterRetryStrategy: retryDelay,
        scaleReads: 'master',
        // A command that its node does not answer ends before the deadline of the store.
        maxRedirections: 5,
        retryDelayOnFailover: 50,
        retryDelayOnClusterDown: 50,
        retryDelayOnTryAgain: 50,
        redisOptions: { ...given.options.redisOptions, ...connection },
      });
      return new IoredisCommands(cluster);
    }
    const redis = given.duplicate({
      ...connection,
      ...both,
      role: 'master',
      sentinelCommandTimeout: commandTimeout,
      readOnly: false,
      retryStrategy: retryDelay,
      maxRetriesPerRequest: 0,
      // After a failover, the same address may lead to another server.
      reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    });
    return new IoredisCommands(redis);
  }

  get isOpen(): boolean {
    return this.client.status !== 'end';
  }

  hmGet(key: string, fields: string[]): Promise<(string | null)[]> {
    return this.client.hmget(key, ...fields);
  }

  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown> {
    return this.client.eval(script, options.keys.length, ...options.keys, ...options.arguments);
  }

  duplicate(): IoredisCommands {
    const { client } = this;
    return new IoredisCommands(client.isCluster ? client.duplicate([], {}) : client.duplicate());
  }

  /** Keeps reconnecting, like node-redis. */
  connect(): Promise<void> {
    return new Promise((resolve) => {
      this.client.once('ready', resolve);
      this.client.connect().catch(() => undefined); // the client also emits its errors
    });
  }

  destroy(): void {
    this.client.disconnect();
  }

  on(event: 'error' | 'ready', listener: (error?: Error) => void): void {
    this.client.on(event, (error) => listener(ofNode(error)));
    if (event === 'error') {
      // A server that closes the connection causes no error, unlike with node-redis.
      this.client.on('reconnecting', () => listener(new Error('the connection was closed')));
    }
  }
}

/** The error of a cluster does not say what is wrong, but has the latest error of a node. */
function ofNode(error: Error | undefined): Error | undefined {
  return (error as { lastNodeError?: Error } | undefined)?.lastNodeError ?? error;
}
