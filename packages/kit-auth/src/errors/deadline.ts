import { clearImmediate, setImmediate } from 'node:timers';

/** The error of a call that takes too long. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Bounds how long calls to a server take, and how many are pending. When the server goes silent, callers neither wait
 * nor queue up.
 *
 * @example
 * ```ts
 * private readonly deadline = new Deadline('the key database', 900);
 *
 * find(id: string): Promise<Key | null> {
 *   return this.deadline.within(() => this.keys.findOneBy({ id }));
 * }
 * ```
 */
export class Deadline {
  private pending = 0;

  /** @param what the name in messages */
  constructor(
    private readonly what: string,
    private readonly milliseconds: number,
    private readonly maxPending = 1000,
  ) {}

  /**
   * Rejects when the call takes too long. The call is not cancelled, and counts as pending until it is answered.
   *
   * @param onMiss called when the call takes too long
   * @throws Error, without making the call, when too many calls are pending
   */
  within<T>(call: () => Promise<T>, onMiss?: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.pending >= this.maxPending) {
        throw new Error(`${this.what} has ${this.maxPending} calls to answer`);
      }
      const answer = call();
      this.pending++;
      const miss = () => {
        reject(new DeadlineExceeded(`${this.what} gave no answer in ${this.milliseconds} ms`));
        onMiss?.();
      };
      let lastTurn: NodeJS.Immediate | undefined;
      // If the process was busy, the answer may have arrived already: timers run before sockets are read, immediates
      // after.
      const timer = setTimeout(() => (lastTurn = setImmediate(miss)), this.milliseconds);
      const settled = () => {
        this.pending--;
        clearTimeout(timer);
        clearImmediate(lastTurn);
      };
      answer.then(settled, settled);
      answer.then(resolve, reject);
    });
  }
}

/**
 * Rejects when an answer takes longer than `milliseconds`. The work behind the answer is not cancelled.
 *
 * @param what the name in the message
 */
export function withinDeadline<T>(milliseconds: number, answer: Promise<T>, what = 'the server'): Promise<T> {
  return new Deadline(what, milliseconds).within(() => answer);
}
