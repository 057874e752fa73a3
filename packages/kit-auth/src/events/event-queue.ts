import { AsyncResource } from 'node:async_hooks';
import type { AuthEvent, AuthEventSink, AuthEventType } from '../contract/auth-event.js';

const MAX_WAITING = 1000;
/** The other places are reserved for events that are not refusals. */
const MAX_REFUSALS = 500;
const BATCH_SIZE = 100;
/** Events that an anonymous client can cause in any number. */
const REFUSALS: ReadonlySet<AuthEventType> = new Set(['access-denied', 'login-failed', 'login-throttled']);

/**
 * The events that wait for a sink. The sink is called once at a time, so it uses at most one connection of a pool.
 */
export class EventQueue {
  private readonly waiting: AuthEvent[] = [];
  private refusals = 0;
  private work: Promise<void> | undefined;
  /** One call stores the events of several requests, so it must not run in the context of one of them. */
  private readonly scope = new AsyncResource('EventQueue');

  constructor(
    private readonly sink: AuthEventSink,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** @returns false when an event was dropped: this one, or a refusal to make room for it */
  add(event: AuthEvent): boolean {
    const isDropping = isRefusal(event)
      ? this.refusals >= MAX_REFUSALS || this.waiting.length >= MAX_WAITING
      : this.waiting.length >= MAX_WAITING;
    if (isDropping && (isRefusal(event) || !this.dropRefusal())) {
      return false;
    }
    this.waiting.push(event);
    this.refusals += isRefusal(event) ? 1 : 0;
    this.work ??= this.scope.runInAsyncScope(() => this.keepWaiting());
    return !isDropping;
  }

  /** Resolves when the queue is empty. */
  async emptied(): Promise<void> {
    await this.work;
  }

  private dropRefusal(): boolean {
    const index = this.waiting.findLastIndex(isRefusal);
    if (index >= 0) {
      this.waiting.splice(index, 1);
      this.refusals--;
    }
    return index >= 0;
  }

  private async keepWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      const events = this.waiting.splice(0, BATCH_SIZE);
      this.refusals -= events.filter(isRefusal).length;
      await this.keep(events);
    }
    this.work = undefined;
  }

  private async keep(events: readonly AuthEvent[]): Promise<void> {
    if (events.length > 1 && this.sink.keepAll !== undefined) {
      try {
        await this.sink.keepAll(events);
        return;
      } catch {
        // Perhaps a single event cannot be stored.
      }
    }
    for (const event of events) {
      try {
        await this.sink.keep(event);
      } catch (error) {
        this.failed(error);
      }
    }
  }
}

export function isRefusal({ type }: AuthEvent): boolean {
  return REFUSALS.has(type);
}
