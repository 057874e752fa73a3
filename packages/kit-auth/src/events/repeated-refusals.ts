import type { AuthEvent } from '../contract/auth-event.js';
import { plainText } from '../errors/describe.js';
import { BoundedMap } from '../tools/lookups.js';

const MINUTE_MS = 60_000;
const MAX_OPEN = 10_000;

interface Repetition {
  last: AuthEvent;
  /** How many followed the first one. */
  count: number;
  readonly until: number;
}

/**
 * Combines events of one user within a minute, such as the refusals at one handler. The first one is published at once,
 * the others as one event at the end of the minute.
 */
export class RepeatedRefusals {
  /** Entries in the order of `until`. */
  private readonly open = new BoundedMap<string, Repetition>(MAX_OPEN, (repetition) =>
    this.publishRest(repetition),
  );
  private timer: NodeJS.Timeout | undefined;

  /** @param publish takes the last of several refusals, with their number in its detail */
  constructor(private readonly publish: (event: AuthEvent) => void) {}

  /** @returns whether the event repeats another one, and will be published together with the others */
  folds(event: AuthEvent, handler: string): boolean {
    const key = `${event.actorId ?? ''} ${event.onBehalfOfId ?? ''} ${handler}`;
    const known = this.open.get(key);
    if (known !== undefined && Date.now() < known.until) {
      known.last = event;
      known.count++;
      return true;
    }
    this.close(key);
    this.open.set(key, { last: event, count: 0, until: Date.now() + MINUTE_MS });
    this.timer ??= setTimeout(() => this.closeOverdue(), MINUTE_MS).unref();
    return false;
  }

  /** Publishes all events that are still waiting. */
  closeAll(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    [...this.open.keys()].forEach((key) => this.close(key));
  }

  private closeOverdue(): void {
    this.timer = undefined;
    for (const [key, { until }] of this.open) {
      const restMs = until - Date.now();
      if (restMs > 0) {
        this.timer = setTimeout(() => this.closeOverdue(), restMs).unref();
        return;
      }
      this.close(key);
    }
  }

  private close(key: string): void {
    const repetition = this.open.get(key);
    this.open.delete(key);
    if (repetition !== undefined) {
      this.publishRest(repetition);
    }
  }

  private publishRest({ last, count }: Repetition): void {
    if (count > 0) {
      const detail = plainText(`${count} more: ${last.detail ?? ''}`);
      this.publish(Object.freeze({ ...last, detail }));
    }
  }
}
