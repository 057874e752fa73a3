import type { HashTurn } from '../contract/hash-turn.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { TooBusyException } from '../errors/too-busy.exception.js';

interface Waiter {
  readonly turn: HashTurn;
  readonly start: () => void;
  readonly refuse: (why: AuthException) => void;
}

/**
 * Limits how many hashes run and how many wait. Known devices have a queue of their own, a quarter as long, which comes
 * first. Between two of its hashes, one of the other queue runs, so that a busy device does not block the others.
 */
export class HashQueue {
  private readonly known: Line;
  private readonly others: Line;
  private running = 0;
  private wasKnown = false;
  private lastDurationMs = 0;

  constructor(
    private readonly concurrency: number,
    places: number,
  ) {
    this.known = new Line(Math.ceil(places / 4));
    this.others = new Line(places);
  }

  /**
   * @throws TooBusyException when the queue is full
   * @throws AuthException 40110 when the client disconnects before its turn; the password is not compared
   */
  async run<T>(turn: HashTurn, work: () => Promise<T>): Promise<T> {
    await this.enter(turn);
    try {
      const started = performance.now();
      const result = await work();
      this.lastDurationMs = performance.now() - started;
      return result;
    } finally {
      this.running--;
      this.startNext();
    }
  }

  private async enter(turn: HashTurn): Promise<void> {
    if (turn.hasLeft()) {
      throw left();
    }
    if (this.running < this.concurrency) {
      this.running++;
      return;
    }
    await new Promise<void>((start, refuse) => {
      const line = turn.isKnown ? this.known : this.others;
      line.add({ turn, start, refuse })?.refuse(this.tooBusy());
    });
  }

  private startNext(): void {
    for (let next = this.takeNext(); next !== undefined; next = this.takeNext()) {
      if (!next.turn.hasLeft()) {
        this.running++;
        this.wasKnown = next.turn.isKnown;
        next.start();
        return;
      }
      next.refuse(left());
    }
  }

  private takeNext(): Waiter | undefined {
    return this.wasKnown
      ? (this.others.take() ?? this.known.take())
      : (this.known.take() ?? this.others.take());
  }

  private tooBusy(): TooBusyException {
    const waitMs = (this.lastDurationMs * (this.known.length + this.others.length)) / this.concurrency;
    return new TooBusyException(Math.max(1, Math.ceil(waitMs / 1000)));
  }
}

/**
 * A fair queue. Groups take turns, so that a group with many waiters does not block the others. When the queue is full,
 * a new waiter replaces the last waiter of the largest group.
 */
class Line {
  /** In the order of their turns. No group is empty. */
  private readonly groups = new Map<string, Waiter[]>();
  private waiting = 0;

  constructor(private readonly places: number) {}

  get length(): number {
    return this.waiting;
  }

  /** @returns the waiter that has no place: the new one, the one that it replaces, or undefined */
  add(waiter: Waiter): Waiter | undefined {
    if (this.waiting >= this.places) {
      this.dismissWhoLeft();
    }
    const group = this.groups.get(waiter.turn.group) ?? [];
    let displaced: Waiter | undefined;
    if (this.waiting >= this.places) {
      const largest = this.largestGroup();
      if (largest === undefined || largest.length <= group.length + 1) {
        return waiter;
      }
      this.waiting--;
      displaced = largest.pop();
    }
    group.push(waiter);
    this.groups.set(waiter.turn.group, group);
    this.waiting++;
    return displaced;
  }

  take(): Waiter | undefined {
    for (const [name, group] of this.groups) {
      this.groups.delete(name);
      const next = group.shift();
      this.waiting--;
      if (group.length > 0) {
        this.groups.set(name, group);
      }
      return next;
    }
    return undefined;
  }

  private largestGroup(): Waiter[] | undefined {
    return [...this.groups.values()].reduce<Waiter[] | undefined>(
      (largest, group) => (largest !== undefined && largest.length >= group.length ? largest : group),
      undefined,
    );
  }

  private dismissWhoLeft(): void {
    for (const [name, group] of this.groups) {
      const staying = group.filter(({ turn, refuse }) => {
        const isGone = turn.hasLeft();
        if (isGone) {
          refuse(left());
        }
        return !isGone;
      });
      this.waiting -= group.length - staying.length;
      if (staying.length > 0) {
        this.groups.set(name, staying);
      } else {
        this.groups.delete(name);
      }
    }
  }
}

function left(): AuthException {
  return AuthException.refusal(AuthErrorCode.LOGIN_FAILED);
}
