import { AsyncResource } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { IllegalStateException } from 'kit-auth';
import { Deadline, describeError } from 'kit-auth/extend';
import { createClient } from 'redis';
import { answers, destroy, isRenewable, type RedisCommands, type Renewable } from './redis.client.js';
import { checkClient } from './redis.start-up.js';

const MAX_CALLS = 1000;
const FIRST_CONNECT_MS = 5000;
const CONNECT_MS = 2000;
const RETRY_MS = 500;
const PING_MS = 1000;
/** The client closes a connection without traffic for this long. Pings keep it open. */
const SOCKET_TIMEOUT_MS = 3000;

/**
 * Calls Redis, with a deadline for each call.
 *
 * A connection can become silent without being closed, for example after a proxy was replaced. The client only detects
 * this while it is idle, because every command restarts its socket time-out. After a call without an answer, a probe of
 * the same key follows. If it is not answered either, a duplicate of the client with new connections takes over.
 */
export class RedisConnection {
  private readonly logger = new Logger('KitAuthSession');
  private deadline: Deadline;
  /** Whether `close()` closes the client: it was made from a URL, or is a duplicate. */
  private isOurs: boolean;
  private isAway = false;
  private isClosed = false;
  private isChecking = false;
  /** Set while a duplicate connects. */
  private next: Renewable | undefined;

  /** Runs outside of the request whose call was not answered, because new connections would retain its context. */
  private readonly checkInBackground = AsyncResource.bind((key: string) => void this.check(key));

  private constructor(
    private client: RedisCommands,
    private readonly isFromUrl: boolean,
    private readonly timeoutMs: number,
  ) {
    this.deadline = this.newDeadline();
    this.isOurs = isFromUrl;
    if (isFromUrl) {
      this.logStateOf(client as Renewable);
    }
  }

  static ofClient(client: RedisCommands, timeoutMs: number): RedisConnection {
    return new RedisConnection(client, false, timeoutMs);
  }

  static ofUrl(url: string, timeoutMs: number): RedisConnection {
    const client = createClient({
      url,
      // Requests do not wait for an unavailable server.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_CALLS,
      // No AbortSignal for each command. The deadline limits the wait, and without an offline queue no command waits for
      // a connection.
      commandOptions: { timeout: 0 },
      pingInterval: PING_MS,
      socket: {
        connectTimeout: 1000,
        socketTimeout: SOCKET_TIMEOUT_MS,
        // The default strategy gives up after a socket timeout.
        reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000),
      },
    });
    return new RedisConnection(client, true, timeoutMs);
  }

  /**
   * Connects a client that was created from a URL, and checks whether the store can use it.
   *
   * @param runScript runs a script as the store does. @returns whether the answer is right
   * @throws IllegalStateException
   */
  async open(runScript: (client: RedisCommands) => Promise<boolean>): Promise<void> {
    const { client } = this;
    try {
      if (this.isFromUrl) {
        await connect(client as Renewable);
      }
      await checkClient(client, runScript);
    } catch (error) {
      if (this.isFromUrl) {
        destroy(client as Renewable);
      }
      throw error;
    }
  }

  /** @param key a key that the command uses, which determines the node of a cluster */
  call<T>(key: string, command: (client: RedisCommands) => Promise<T>): Promise<T> {
    const { client } = this;
    return this.deadline.within(
      () => command(client),
      () => this.checkInBackground(key),
    );
  }

  close(): void {
    this.isClosed = true;
    destroy(this.next);
    if (this.isOurs) {
      destroy(this.client as Renewable);
    }
  }

  private async check(key: string): Promise<void> {
    if (this.isChecking) {
      return;
    }
    this.isChecking = true;
    while (!this.isClosed && !(await answers(this.client, key))) {
      this.away(
        'there is no answer on an open connection' +
          (isRenewable(this.client)
            ? ''
            : ', and the client cannot be duplicated: give it a pingInterval, a socket.socketTimeout and a ' +
              'socket.reconnectStrategy that returns a number'),
      );
      if (!(await this.renew(key))) {
        await setTimeout(RETRY_MS, undefined, { ref: false });
      }
    }
    this.back();
    this.isChecking = false;
  }

  /** @returns whether a duplicate has replaced the client */
  private async renew(key: string): Promise<boolean> {
    const old = this.client;
    if (!isRenewable(old)) {
      return false;
    }
    const next = old.duplicate();
    this.next = next;
    next.on('error', () => undefined);
    const isConnected = await new Deadline('Redis', CONNECT_MS)
      .within(() => next.connect())
      .then(
        () => answers(next, key),
        () => false,
      );
    this.next = undefined;
    if (!isConnected || this.isClosed) {
      destroy(next);
      return false;
    }
    this.client = next;
    this.deadline = this.newDeadline(); // The old one still counts calls that are never answered.
    if (this.isFromUrl) {
      this.logStateOf(next);
    }
    if (this.isOurs) {
      destroy(old);
    }
    this.isOurs = true;
    return true;
  }

  private newDeadline(): Deadline {
    return new Deadline('Redis', this.timeoutMs, MAX_CALLS);
  }

  private logStateOf(client: Renewable): void {
    client.on('error', (error) => this.away(describeError(error)));
    client.on('ready', () => this.back());
  }

  private away(why: string): void {
    if (!this.isAway) {
      this.isAway = true;
      this.logger.error(`[auth] Redis is unreachable: ${why}`);
    }
  }

  private back(): void {
    if (this.isAway && !this.isClosed) {
      this.isAway = false;
      this.logger.log('[auth] Redis is reachable again');
    }
  }
}

async function connect(client: Renewable): Promise<void> {
  try {
    await new Deadline('Redis', FIRST_CONNECT_MS).within(() => client.connect());
  } catch (cause) {
    throw new IllegalStateException('RedisSessionStore cannot reach Redis: see its url.', { cause });
  }
}
