import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { AuthBus } from 'kit-auth';
import { describeError, withinDeadline } from 'kit-auth/tools';

export type BusMessage = readonly [channel: string, text: string];

/** Callbacks of a bus for its wire. */
export interface WireEvents {
  readonly heard: (channel: string, text: string) => void;
  /** The wire no longer works. */
  readonly lost: (error: unknown) => void;
}

/** Connections to a server that passes messages on. A lost wire is never used again. */
export interface Wire {
  /** Connects, and listens to the channels. Called once. */
  open(channels: readonly string[], events: WireEvents): Promise<void>;
  /** Called again only when the promise has settled. */
  send(messages: readonly BusMessage[]): Promise<unknown>;
  /** Closes the connections at once. */
  close(): void;
}

const MAX_BYTES = 4096;
/** Messages that wait for the connection. Further ones are lost. */
const MAX_WAITING = 1000;
const ECHO_MS = 3000;
/** One could be missed because the process was busy. */
const MAX_UNANSWERED = 2;
const LAST_WORDS_MS = 1000;

/** Between half a second and ten seconds. Instances that lose a server together come back one after the other. */
const retryDelay = (failures: number): number =>
  Math.min(1000 * 2 ** failures, 10_000) * (0.5 + Math.random() / 2);

/** Delivers messages within the process. */
class LocalBus implements AuthBus {
  readonly isUp = true;
  private readonly listeners = new Map<string, (text: string) => void>();

  publish(channel: string, text: string): void {
    this.listeners.get(channel)?.(text);
  }

  subscribe(channel: string, listener: (text: string) => void): void {
    // Listeners do not run in the context of the request that publishes, as they do not on other instances.
    this.listeners.set(channel, AsyncResource.bind(listener));
  }
}

/**
 * A bus on a server. All messages use one channel. On a second one, the bus sends echoes to itself: it is up while
 * it hears them. So it notices missing rights and connections that have gone silent, in both directions.
 */
export class ServerBus implements AuthBus, OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('KitAuthSockets');
  private readonly local = new LocalBus();
  private readonly channel: string;
  private readonly echoes: string;
  private newWire: () => Wire = () => {
    throw new Error('not initialized');
  };
  /** The present one, also while it connects. */
  private wire: Wire | undefined;
  private timer: NodeJS.Timeout | undefined;
  private unanswered = 0;
  private failures = 0;
  private waiting: BusMessage[] = [];
  private sending: Promise<void> | undefined;
  private firstOutcome = (): void => undefined;

  isUp = false;

  /**
   * @param server its name, for messages
   * @param prepare returns a function that creates wires
   */
  constructor(
    private readonly server: string,
    channelPrefix: string,
    private readonly isEnabled: boolean,
    private readonly prepare: () => Promise<() => Wire>,
  ) {
    this.channel = `${channelPrefix}bus`;
    this.echoes = `${this.channel}:${randomBytes(8).toString('hex')}`;
  }

  /** Waits for the first connection, or its failure: a bus that is down ends no start-up. */
  async onModuleInit(): Promise<void> {
    if (this.isEnabled) {
      this.newWire = await this.prepare();
      const outcome = new Promise<void>((resolve) => (this.firstOutcome = resolve));
      this.connect();
      await outcome;
    }
  }

  /** Nest calls this after the last request has been answered. Sends what waits. */
  async onApplicationShutdown(): Promise<void> {
    await withinDeadline(LAST_WORDS_MS, Promise.resolve(this.sending), this.server).catch(() => undefined);
    this.disconnect();
  }

  publish(channel: string, text: string): void {
    if (this.isUp && this.waiting.length < MAX_WAITING && Buffer.byteLength(text) <= MAX_BYTES) {
      this.send([this.channel, `${channel} ${text}`]);
    }
  }

  subscribe(channel: string, listener: (text: string) => void): void {
    this.local.subscribe(channel, listener);
  }

  private connect(): void {
    const wire = this.newWire();
    const lost = (error: unknown): void => {
      if (wire === this.wire) {
        this.down(error);
      }
    };
    const heard = (channel: string, text: string): void => {
      if (wire === this.wire) {
        this.hear(channel, text);
      }
    };
    this.wire = wire;
    this.unanswered = 0;
    this.timer = setInterval(() => this.check(), ECHO_MS).unref();
    wire.open([this.channel, this.echoes], { heard, lost }).then(() => this.send([this.echoes, '']), lost);
  }

  private disconnect(): void {
    clearTimeout(this.timer);
    this.wire?.close();
    this.wire = undefined;
    this.sending = undefined;
    this.waiting = [];
    this.isUp = false;
  }

  private check(): void {
    if (this.unanswered === MAX_UNANSWERED) {
      this.down(new Error(`no answer in ${(MAX_UNANSWERED * ECHO_MS) / 1000} seconds`));
      return;
    }
    this.unanswered++;
    if (this.isUp) {
      this.send([this.echoes, '']);
    }
  }

  private hear(channel: string, text: string): void {
    if (channel === this.echoes) {
      this.unanswered = 0;
      this.up();
    } else {
      const [name = ''] = text.split(' ', 1);
      this.local.publish(name, text.slice(name.length + 1));
    }
  }

  private send(message: BusMessage): void {
    this.waiting.push(message);
    this.sending ??= this.sendAll();
  }

  /** Sends what waits, and what begins to wait meanwhile. */
  private async sendAll(): Promise<void> {
    const { wire } = this;
    try {
      while (wire !== undefined && wire === this.wire && this.waiting.length > 0) {
        await wire.send(this.waiting.splice(0));
      }
    } catch (error) {
      if (wire === this.wire) {
        this.down(error);
      }
    }
    if (wire === this.wire) {
      this.sending = undefined;
    }
  }

  private up(): void {
    if (!this.isUp) {
      if (this.failures > 0) {
        this.logger.log(`[auth] the bus on ${this.server} is up again`);
      }
      this.failures = 0;
      this.isUp = true;
      this.firstOutcome();
    }
  }

  private down(error: unknown): void {
    this.disconnect();
    if (this.failures === 0) {
      this.logger.error(
        `[auth] the bus on ${this.server} is down: ${describeError(causeOf(error))}. ` +
          'Ends of logins reach the sockets of other instances late',
      );
    }
    this.timer = setTimeout(() => this.connect(), retryDelay(this.failures++)).unref();
    this.firstOutcome();
  }
}

/** Errors of several addresses or nodes do not say what is wrong. */
function causeOf(error: unknown): unknown {
  const { errors, lastNodeError } = (error ?? {}) as { errors?: unknown[]; lastNodeError?: unknown };
  return lastNodeError ?? errors?.[0] ?? error;
}
