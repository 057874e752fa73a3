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
 * Runs so many hashes at once and lets so many wait. Groups take turns, so that a group with many waiters holds nobody
 * else up. When all places are taken, a newcomer takes the place of the last waiter of the largest group. Known
 * devices go first, and have a quarter as many places of their own.
 */
export class HashQueue {
  private readonly known: Waiter[] = [];
  /** The group whose turn is next comes first. None is empty. */
  private readonly groups = new Map<string, Waiter[]>();
  private running = 0;
  private waiting = 0;
  private lastDurationMs = 0;

  constructor(
    private readonly concurrency: number,
    private readonly places: number,
  ) {}

  /**
   * @throws TooBusyException when there is no place
   * @throws AuthException 40110 when the client has left before its turn: its password is not looked at
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
      this.add({ turn, start, refuse });
    });
  }

  private add(waiter: Waiter): void {
    if (waiter.turn.isKnown) {
      if (this.known.length >= Math.ceil(this.places / 4)) {
        waiter.refuse(this.tooBusy());
      } else {
        this.known.push(waiter);
      }
      return;
    }
    if (this.waiting >= this.places) {
      this.dismissWhoLeft();
    }
    const group = this.groups.get(waiter.turn.group) ?? [];
    if (this.waiting >= this.places) {
      const largest = this.largestGroup();
      if (largest === undefined || largest.length <= group.length + 1) {
        waiter.refuse(this.tooBusy());
        return;
      }
      this.waiting--;
      largest.pop()?.refuse(this.tooBusy());
    }
    group.push(waiter);
    this.groups.set(waiter.turn.group, group);
    this.waiting++;
  }

  private startNext(): void {
    for (let next = this.takeNext(); next !== undefined; next = this.takeNext()) {
      if (!next.turn.hasLeft()) {
        this.running++;
        next.start();
        return;
      }
      next.refuse(left());
    }
  }

  private takeNext(): Waiter | undefined {
    const known = this.known.shift();
    if (known !== undefined) {
      return known;
    }
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

  private tooBusy(): TooBusyException {
    const waitMs = (this.lastDurationMs * this.waiting) / this.concurrency;
    return new TooBusyException(Math.max(1, Math.ceil(waitMs / 1000)));
  }
}

function left(): AuthException {
  return AuthException.refusal(AuthErrorCode.LOGIN_FAILED);
}
