import { AsyncResource } from 'node:async_hooks';
import type { AuthEvent, AuthEventSink, AuthEventType } from '../contract/auth-event.js';

const MOST_WAITING = 1000;
/** The rest is a reserve for what is more than a refusal. */
const MOST_REFUSALS = 500;
const MOST_AT_ONCE = 100;
/** What can be brought about as often as somebody likes, without a right to anything. */
const REFUSALS: ReadonlySet<AuthEventType> = new Set(['access-denied', 'login-failed', 'login-throttled']);

/**
 * Events that wait for a sink. The sink has one call to answer at a time, so that it takes no more than one connection
 * of a pool from logins, however many events there are.
 */
export class EventQueue {
  private readonly waiting: AuthEvent[] = [];
  private refusals = 0;
  private work: Promise<void> | undefined;
  /** Events of many requests are kept together: their work belongs to no request, and to no change. */
  private readonly ofNobody = new AsyncResource('EventQueue');

  constructor(
    private readonly sink: AuthEventSink,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** @returns false when an event was dropped, this one or a refusal that made room for it */
  add(event: AuthEvent): boolean {
    const isDropping = isRefusal(event)
      ? this.refusals >= MOST_REFUSALS || this.waiting.length >= MOST_WAITING
      : this.waiting.length >= MOST_WAITING;
    if (isDropping && (isRefusal(event) || !this.dropRefusal())) {
      return false;
    }
    this.waiting.push(event);
    this.refusals += isRefusal(event) ? 1 : 0;
    this.work ??= this.ofNobody.runInAsyncScope(() => this.keepWaiting());
    return !isDropping;
  }

  /** Settles when no event waits any more. */
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
      const events = this.waiting.splice(0, MOST_AT_ONCE);
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
        // Perhaps one of them alone cannot be kept.
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
