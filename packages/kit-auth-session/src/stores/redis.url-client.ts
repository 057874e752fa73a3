import { IllegalStateException } from 'kit-auth';
import { type Renewable, retryDelay } from './redis.client.js';

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
