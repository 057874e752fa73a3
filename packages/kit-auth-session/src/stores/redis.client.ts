import { Deadline } from 'kit-auth/tools';
import { IllegalStateException } from 'kit-auth';

/** The methods that the store uses of a client, pool or cluster of `redis`. */
export interface RedisCommands {
  hmGet(key: string, fields: string[]): Promise<unknown[]>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Clients, clusters and sentinels also have these methods. Pools do not. */
export interface Renewable extends RedisCommands {
  readonly isOpen: boolean;
  duplicate(): Renewable;
  connect(): Promise<unknown>;
  /** Closes the connection at once. */
  destroy?(): void;
  /** node-redis 4 has this instead of `destroy`. */
  disconnect?(): Promise<void>;
  on(event: 'error' | 'ready', listener: (error?: Error) => void): unknown;
}

const PROBE_MS = 1000;

/**
 * The same client with strings and numbers as answers, even if the application has set it up for others, for example buffers.
 * Clients of node-redis 4 and of ioredis have no such setting.
 */
export function withPlainAnswers(client: RedisCommands): RedisCommands {
  const mapped = client as RedisCommands & { withTypeMapping?(mapping: object): RedisCommands };
  return mapped.withTypeMapping?.({}) ?? client;
}

/** Milliseconds before a client connects again. It never gives up. */
export const retryDelay = (retries: number): number => Math.min(50 * 2 ** retries, 1000);

/** True if the server answers, possibly with an error. */
export function answers(client: RedisCommands, key: string): Promise<boolean> {
  return new Deadline('Redis', PROBE_MS).within(() => client.hmGet(key, ['id'])).then(() => true, isReply);
}

/** True for an error that the server has sent. These begin with a word in capitals. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && /^[A-Z]{3,} /.test(error.message);
}

export function isRenewable(client: RedisCommands): client is Renewable {
  const { duplicate, connect, destroy, disconnect, on } = client as Partial<Renewable>;
  return [duplicate, connect, destroy ?? disconnect, on].every((method) => typeof method === 'function');
}

export function destroy(client: Renewable | undefined): void {
  if (client?.isOpen !== true) {
    return;
  }
  if (client.destroy === undefined) {
    client.disconnect?.().catch(() => undefined); // It rejects when the connection is closed in the meantime.
  } else {
    client.destroy();
  }
}

const PING_MS = 1000;
/** The client closes a connection without traffic for this long. Pings keep it open. */
const SOCKET_TIMEOUT_MS = 3000;

/**
 * @param maxCalls how many commands may wait for an answer
 * @throws IllegalStateException for an invalid url, or without the package
 */
export async function clientOfUrl(url: string, maxCalls: number): Promise<Renewable> {
  const { createClient } = await redisPackage();
  try {
    return createClient({
      url,
      // Requests do not wait for an unavailable server.
      disableOfflineQueue: true,
      commandsQueueMaxLength: maxCalls,
      // No AbortSignal for each command. The deadline limits the wait, and without an offline queue no command waits for
      // a connection.
      commandOptions: { timeout: 0 },
      pingInterval: PING_MS,
      socket: {
        connectTimeout: 1000,
        socketTimeout: SOCKET_TIMEOUT_MS,
        // The default strategy gives up after a socket timeout.
        reconnectStrategy: retryDelay,
      },
    });
  } catch {
    // Without the cause, because the error of an invalid url contains the url, and so the password.
    throw new IllegalStateException(
      'RedisSessionStore: the option url must be like redis://user:password@host:port/db. ' +
        'In the password, use encodeURIComponent() for characters such as / and #.',
    );
  }
}

/** Loaded only for a `url`: applications with ioredis do not have it. */
async function redisPackage() {
  try {
    return await import('redis');
  } catch (cause) {
    throw new IllegalStateException(
      'RedisSessionStore: the option url needs the package redis: npm install redis. ' +
        'Or pass a client of ioredis: new RedisSessionStore({ client: new Redis(url) })',
      { cause },
    );
  }
}
