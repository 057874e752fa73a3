import { AsyncResource } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Deadline, describeError } from 'kit-auth/extend';
import { createClient } from 'redis';

/** What is used of a node-redis client, pool or cluster. */
export interface RedisCommands {
  hmGet(key: string, fields: string[]): Promise<(string | null)[]>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** What clients, clusters and sentinels have beyond that, but pools have not. */
interface Renewable extends RedisCommands {
  readonly isOpen: boolean;
  duplicate(): Renewable;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'error' | 'ready', listener: (error?: Error) => void): unknown;
}

const MAX_CALLS = 1000;
const FIRST_CONNECT_MS = 5000;
const CONNECT_MS = 2000;
const PROBE_MS = 1000;
const RETRY_MS = 500;
const PING_MS = 1000;
/** The client closes a connection that nothing was sent or received on for this long. Pings alone keep it open. */
const SOCKET_TIMEOUT_MS = 3000;

/**
 * Calls to Redis, each with a deadline.
 *
 * A connection can go silent without being closed, for example when a proxy or a NAT has forgotten it. The client
 * notices that by itself only while it is idle: its socket time-out begins anew with every command that it writes. So
 * when a call missed its deadline, and a probe of the same key is not answered either, this goes on with a duplicate
 * of the client, which has new connections.
 */
export class RedisConnection {
  private readonly logger = new Logger('KitAuthSession');
  private deadline: Deadline;
  /** Whether `close()` closes the client: it is from a URL, or a duplicate. */
  private isOurs: boolean;
  private isAway = false;
  private isClosed = false;
  private isChecking = false;
  /** Set while a duplicate connects. */
  private next: Renewable | undefined;

  /** Outside of the request whose call was not answered: new connections must not keep its context. */
  private readonly checkForNobody = AsyncResource.bind((key: string) => void this.check(key));

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
      // Nothing waits for a server that is away: requests are answered, and the client tries again.
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_CALLS,
      pingInterval: PING_MS,
      socket: {
        connectTimeout: 1000,
        socketTimeout: SOCKET_TIMEOUT_MS,
        // The default gives up for good after a socket time-out.
        reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000),
      },
    });
    return new RedisConnection(client, true, timeoutMs);
  }

  /** Connects a client that is from a URL. Rejects when that takes too long. */
  async open(): Promise<void> {
    if (!this.isFromUrl) {
      return;
    }
    const client = this.client as Renewable;
    try {
      await new Deadline('Redis', FIRST_CONNECT_MS).within(() => client.connect());
    } catch (error) {
      destroy(client);
      throw error;
    }
  }

  /** @param key one that the command uses: in a cluster it tells the node */
  call<T>(key: string, command: (client: RedisCommands) => Promise<T>): Promise<T> {
    const { client } = this;
    return this.deadline.within(
      () => command(client),
      () => this.checkForNobody(key),
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

  /** @returns whether a duplicate has taken the place of the client */
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
    this.deadline = this.newDeadline(); // The old one goes on counting calls that are never answered.
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
      this.logger.error(`[auth] Redis is away: ${why}`);
    }
  }

  private back(): void {
    if (this.isAway && !this.isClosed) {
      this.isAway = false;
      this.logger.log('[auth] Redis is back');
    }
  }
}

/** Whether the server answers, if only with an error, which it begins with a word in capitals. */
function answers(client: RedisCommands, key: string): Promise<boolean> {
  return new Deadline('Redis', PROBE_MS)
    .within(() => client.hmGet(key, ['id']))
    .then(
      () => true,
      (error: unknown) => error instanceof Error && /^[A-Z]{3,} /.test(error.message),
    );
}

function isRenewable(client: RedisCommands): client is Renewable {
  const { duplicate, connect, destroy, on } = client as Partial<Renewable>;
  return [duplicate, connect, destroy, on].every((method) => typeof method === 'function');
}

function destroy(client: Renewable | undefined): void {
  if (client?.isOpen) {
    client.destroy();
  }
}
