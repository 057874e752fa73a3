import type { HashTurn } from '../contract/hash-turn.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, retryAfterOf, TooBusyException } from '../errors/auth.exception.js';
import { FairQueue, type Waiting } from '../context/fair-queue.js';

interface Waiter extends Waiting {
  readonly turn: HashTurn;
  readonly start: () => void;
  readonly refuse: (why: AuthException) => void;
}

/**
 * Limits how many hashes run and how many wait. Known devices have a queue of their own, a quarter as long, which comes
 * first. Between two of its hashes, one of the other queue runs, so that a busy device does not block the others.
 */
export class HashQueue {
  private readonly known: FairQueue<Waiter>;
  private readonly others: FairQueue<Waiter>;
  private running = 0;
  private wasKnown = false;
  private lastDurationMs = 0;

  constructor(
    private readonly concurrency: number,
    places: number,
  ) {
    this.known = new FairQueue<Waiter>(Math.ceil(places / 4));
    this.others = new FairQueue<Waiter>(places);
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
      const queue = turn.isKnown ? this.known : this.others;
      if (queue.isFull) {
        queue.drop((waiter) => waiter.turn.hasLeft()).forEach((waiter) => waiter.refuse(left()));
      }
      queue.add({ group: turn.group, turn, start, refuse })?.refuse(this.tooBusy());
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
    return new TooBusyException(retryAfterOf(waitMs));
  }
}

function left(): AuthException {
  return AuthException.refusal(AuthErrorCode.LOGIN_FAILED);
}
