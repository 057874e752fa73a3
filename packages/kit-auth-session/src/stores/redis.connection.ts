import { AsyncResource } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { IllegalStateException } from 'kit-auth';
import { Deadline, describeError } from 'kit-auth/tools';
import {
  answers,
  clientOfUrl,
  destroy,
  isRenewable,
  type RedisCommands,
  type Renewable,
  withPlainAnswers,
} from './redis.client.js';
import { type IoredisClient, IoredisCommands, isIoredis } from './redis.ioredis-client.js';
import { checkClient } from './redis.start-up.js';

const MAX_CALLS = 1000;
const FIRST_CONNECT_MS = 5000;
const CONNECT_MS = 2000;
const RETRY_MS = 500;

const NOT_OPEN = (): Promise<never> =>
  Promise.reject(new IllegalStateException('RedisSessionStore is not open: call its open() first.'));

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
  /** The client, as the store calls it. Events and the connection need the client itself. */
  private commands: RedisCommands;
  /** True if the store has created the client, so that `close()` closes it. */
  private isOurs = false;
  private isAway = false;
  private isClosed = false;
  private isChecking = false;
  /** Set while a duplicate connects. */
  private next: Renewable | undefined;

  /** Runs outside of the request whose call was not answered, because new connections would retain its context. */
  private readonly checkInBackground = AsyncResource.bind((key: string) => void this.check(key));

  /**
   * @param create makes the client, unless the application passes one that the store can use as it is
   * @param timeoutMs of a call
   */
  private constructor(
    private client: RedisCommands,
    private readonly create: (() => Promise<Renewable>) | undefined,
    private readonly timeoutMs: number,
  ) {
    this.deadline = this.newDeadline();
    this.commands = withPlainAnswers(client);
  }

  static ofUrl(url: string, timeoutMs: number): RedisConnection {
    return RedisConnection.ofOwn(() => clientOfUrl(url, MAX_CALLS), timeoutMs);
  }

  static ofClient(client: RedisCommands | IoredisClient, timeoutMs: number): RedisConnection {
    return isIoredis(client)
      ? RedisConnection.ofOwn(async () => IoredisCommands.duplicateOf(client, timeoutMs), timeoutMs)
      : new RedisConnection(client, undefined, timeoutMs);
  }

  private static ofOwn(create: () => Promise<Renewable>, timeoutMs: number): RedisConnection {
    return new RedisConnection({ hmGet: NOT_OPEN, eval: NOT_OPEN }, create, timeoutMs);
  }

  /**
   * Creates and connects the client, unless the application passed one, and checks whether the store can use it.
   *
   * @param runScript runs a script as the store does. @returns whether the answer is right
   * @throws IllegalStateException
   */
  async open(runScript: (client: RedisCommands) => Promise<boolean>): Promise<void> {
    if (this.create === undefined) {
      return checkClient(this.client, () => runScript(this.commands));
    }
    const client = await this.create();
    this.use(client);
    this.isOurs = true;
    this.logStateOf(client);
    try {
      await connect(client);
      await checkClient(client, () => runScript(this.commands));
    } catch (error) {
      destroy(client);
      throw error;
    }
  }

  /** @param key a key of the command. It determines the node of a cluster */
  call<T>(key: string, command: (client: RedisCommands) => Promise<T>): Promise<T> {
    const { commands } = this;
    return this.deadline.within(
      () => command(commands),
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
    this.use(next);
    this.deadline = this.newDeadline(); // The old one still counts calls that are never answered.
    if (this.create !== undefined) {
      this.logStateOf(next);
    }
    if (this.isOurs) {
      destroy(old);
    }
    this.isOurs = true;
    return true;
  }

  private use(client: Renewable): void {
    this.client = client;
    this.commands = withPlainAnswers(client);
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
  let first: unknown;
  client.on('error', (error) => void (first ??= error));
  try {
    await new Deadline('Redis', FIRST_CONNECT_MS).within(() => client.connect());
  } catch (cause) {
    const why = first === undefined ? '' : ` (${describeError(first)})`;
    throw new IllegalStateException(
      `RedisSessionStore cannot reach Redis${why}: see its url, or the options of its client.`,
      { cause },
    );
  }
}
