import type { BusMessage, Wire, WireEvents } from './server.bus.js';

/** A client, cluster or sentinel of `redis`, or a client or cluster of `ioredis`. The bus uses duplicates of it. */
export interface RedisBusClient {
  duplicate(): unknown;
  publish(channel: string, text: string): Promise<unknown>;
}

interface NodeRedis extends RedisBusClient {
  readonly isOpen: boolean;
  duplicate(): NodeRedis;
  connect(): Promise<unknown>;
  /** Sentinels return a promise. */
  destroy(): void | Promise<void>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  subscribe(channels: string[], listener: (text: string, channel: string) => void): Promise<unknown>;
}

interface Ioredis extends RedisBusClient {
  readonly status: string;
  connect(): Promise<void>;
  disconnect(): void;
  on(event: string, listener: (...values: never[]) => void): unknown;
  subscribe(...channels: string[]): Promise<unknown>;
}

interface IoredisClient extends Ioredis {
  readonly isCluster: false;
  duplicate(options?: object): Ioredis;
}

interface IoredisCluster extends Ioredis {
  readonly isCluster: true;
  readonly options: { readonly redisOptions?: object };
  duplicate(nodes?: [], options?: object): Ioredis;
}

/** Client options that the bus overrides. */
const CONNECTION = {
  commandTimeout: undefined,
  disconnectTimeout: 0,
  socketTimeout: undefined, // no text may come for hours
};
const COMMANDS = { keyPrefix: '', lazyConnect: true, enableOfflineQueue: true };

/** @returns a function that creates wires; undefined if the client is none of these */
export function wiresOf(client: object): (() => Wire) | undefined {
  const { duplicate, publish, subscribe, destroy, status } = client as Partial<NodeRedis & Ioredis>;
  if (![duplicate, publish, subscribe].every((method) => typeof method === 'function')) {
    return undefined;
  }
  if (typeof status === 'string') {
    return () => new IoredisWire(client as IoredisClient | IoredisCluster);
  }
  return typeof destroy === 'function' ? () => new NodeRedisWire(client as NodeRedis) : undefined;
}

class NodeRedisWire implements Wire {
  private readonly publisher: NodeRedis;
  private readonly subscriber: NodeRedis;

  constructor(client: NodeRedis) {
    this.publisher = client.duplicate();
    this.subscriber = client.duplicate();
  }

  async open(channels: readonly string[], { heard, lost }: WireEvents): Promise<void> {
    await Promise.all(
      [this.publisher, this.subscriber].map((client) => {
        client.on('error', lost);
        return client.connect();
      }),
    );
    await this.subscriber.subscribe([...channels], (text, channel) => heard(channel, text));
  }

  send(messages: readonly BusMessage[]): Promise<unknown> {
    return Promise.all(messages.map(([channel, text]) => this.publisher.publish(channel, text)));
  }

  close(): void {
    for (const client of [this.publisher, this.subscriber]) {
      if (client.isOpen) {
        void client.destroy();
      }
    }
  }
}

class IoredisWire implements Wire {
  private readonly publisher: Ioredis;
  private readonly subscriber: Ioredis;

  constructor(client: IoredisClient | IoredisCluster) {
    this.publisher = duplicateOf(client);
    this.subscriber = duplicateOf(client);
  }

  async open(channels: readonly string[], { heard, lost }: WireEvents): Promise<void> {
    await Promise.all(
      [this.publisher, this.subscriber].map((client) => {
        client.on('error', lost);
        // A server that closes the connection causes no error, unlike with `redis`.
        client.on('close', () => lost(new Error('the connection was closed')));
        return client.connect();
      }),
    );
    this.subscriber.on('message', heard);
    await this.subscriber.subscribe(...channels);
  }

  send(messages: readonly BusMessage[]): Promise<unknown> {
    return Promise.all(messages.map(([channel, text]) => this.publisher.publish(channel, text)));
  }

  close(): void {
    this.publisher.disconnect();
    this.subscriber.disconnect();
  }
}

function duplicateOf(client: IoredisClient | IoredisCluster): Ioredis {
  return client.isCluster
    ? client.duplicate([], { ...COMMANDS, redisOptions: { ...client.options.redisOptions, ...CONNECTION } })
    : client.duplicate({ ...COMMANDS, ...CONNECTION, role: 'master' });
}
