import type { AuthEvent } from '../contract/auth-event.js';
import { plainText } from '../errors/plain-text.js';

const MINUTE_MS = 60_000;
const MOST_OPEN = 10_000;

interface Repetition {
  last: AuthEvent;
  /** How many came after the first, which was told. */
  count: number;
  readonly until: number;
}

/**
 * Folds what one user is refused at one handler within a minute: the first refusal is told at once, those that follow
 * as one event at the end of the minute.
 */
export class RepeatedRefusals {
  /** In the order of their ends. */
  private readonly open = new Map<string, Repetition>();
  private timer: NodeJS.Timeout | undefined;

  /** @param tell takes the last of several refusals, with their number in its detail */
  constructor(private readonly tell: (event: AuthEvent) => void) {}

  /** @returns whether it repeats another, and is told with the rest of them */
  folds(event: AuthEvent, handler: string): boolean {
    const key = `${event.actorId ?? ''} ${handler}`;
    const known = this.open.get(key);
    if (known !== undefined && Date.now() < known.until) {
      known.last = event;
      known.count++;
      return true;
    }
    this.close(key);
    this.open.set(key, { last: event, count: 0, until: Date.now() + MINUTE_MS });
    if (this.open.size > MOST_OPEN) {
      const [oldest] = this.open.keys();
      this.close(oldest as string);
    }
    this.timer ??= setTimeout(() => this.closeOverdue(), MINUTE_MS).unref();
    return false;
  }

  /** Tells all that is still to be told. */
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
    if (repetition !== undefined && repetition.count > 0) {
      const { last, count } = repetition;
      const detail = plainText(`${count} more: ${last.detail ?? ''}`);
      this.tell(Object.freeze({ ...last, detail }));
    }
  }
}
