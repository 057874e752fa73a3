import { setImmediate } from 'node:timers';
import { Logger } from '@nestjs/common';
import { currentClient } from '../../context/kit-auth.context.js';
import { FairQueue, type Waiting } from '../../context/fair-queue.js';
import { turnOf } from '../../context/network.js';
import type { Client } from '../../contract/client.js';
import { ClientLeftException, TooBusyException } from '../../errors/auth.exception.js';

/** How long callers wait for an answer. */
const PATIENCE_MS = 900;
/** Fewer than the calls that a `Deadline` lets wait, so that it is this queue that decides who waits. */
const PLACES = 900;
const WARN_EVERY_MS = 60_000;

interface Waiter extends Waiting {
  /** Undefined outside of requests. */
  readonly client: Client | undefined;
  readonly until: number;
  readonly start: () => void;
  readonly refuse: (why: TooBusyException) => void;
}

/**
 * Limits how many look-ups run at the same time. The others wait here instead of in the pool of the database driver,
 * which carries out every statement in the order of their arrival, also for callers that have given up. The networks of
 * clients take turns; look-ups outside of requests are a group of their own.
 *
 * While all that run take longer than half the time that callers have, new look-ups are refused at once.
 */
export class LookupQueue {
  private readonly logger = new Logger('KitAuth');
  private readonly waiting = new FairQueue<Waiter>(PLACES);
  private running = 0;
  private startedAt = 0;
  /** The `startedAt` after which no look-up has ended in time. */
  private stuckSince = 0;
  /** How long a look-up takes: an average, in which older ones count less. */
  private durationMs = 0;
  private nextWarningAt = 0;

  /** @param concurrency how many look-ups run at the same time */
  constructor(private readonly concurrency: number) {}

  /** @throws TooBusyException when the look-up did not run, because the database is too slow or the client has left */
  async run<T>(lookUp: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) {
      this.running++;
    } else {
      await this.turn();
    }
    const startedAt = (this.startedAt = performance.now());
    try {
      return await lookUp();
    } finally {
      this.durationMs += (performance.now() - startedAt - this.durationMs) / 8;
      this.running--;
      this.startNext();
    }
  }

  private async turn(): Promise<void> {
    if (this.isStuck()) {
      throw this.tooBusy();
    }
    if (this.waiting.isFull) {
      this.dropLate();
    }
    const client = waitingClient();
    const { group } = turnOf(client);
    const until = performance.now() + PATIENCE_MS;
    await new Promise<void>((start, refuse) => {
      this.waiting.add({ group, client, until, start, refuse })?.refuse(this.tooBusy());
    });
  }

  private startNext(): void {
    const next = this.waiting.take();
    if (next === undefined) {
      return;
    }
    if (this.isTooLate(next)) {
      this.drop(next);
      this.dropLate();
      this.startNext();
      return;
    }
    this.running++;
    next.start();
  }

  private dropLate(): void {
    this.waiting.drop((waiter) => this.isTooLate(waiter)).forEach((waiter) => this.drop(waiter));
  }

  private drop({ client, refuse }: Waiter): void {
    refuse(client?.hasLeft() ? new ClientLeftException() : this.tooBusy());
  }

  /** Whether no caller would wait for the answer any more. */
  private isTooLate({ client, until }: Waiter): boolean {
    return client?.hasLeft() === true || performance.now() + this.durationMs >= until;
  }

  /** If the process was busy, answers may have arrived that are read in this turn of the event loop. */
  private isStuck(): boolean {
    const { startedAt } = this;
    if (performance.now() - startedAt <= PATIENCE_MS / 2) {
      return false;
    }
    setImmediate(() => {
      this.stuckSince = startedAt;
    });
    return this.stuckSince === startedAt;
  }

  /** Warns at most once a minute. */
  private tooBusy(): TooBusyException {
    const now = performance.now();
    if (now >= this.nextWarningAt) {
      this.nextWarningAt = now + WARN_EVERY_MS;
      this.logger.warn(
        `[auth] look-ups are refused with 50300: the database is slow, or ${this.concurrency} connections are too few`,
      );
    }
    return new TooBusyException(1);
  }
}

/** A response that is closed already was sent: the look-up is for something that its handler has started. */
function waitingClient(): Client | undefined {
  const client = currentClient();
  return client?.hasLeft() ? undefined : client;
}
