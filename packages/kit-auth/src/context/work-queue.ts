import { DeadlineExceeded, withinDeadline } from '../errors/deadline.js';

/**
 * Limits how much work runs at the same time. The rest waits, in the order of its arrival. `p-limit` does not fit: it
 * runs waiting work in the asynchronous context of the work before it, and nothing can leave its queue.
 */
export class WorkQueue {
  private readonly waiting = new Set<() => void>();

  /** @param free how much work may run at the same time */
  constructor(private free: number) {}

  /** The amount of work that waits. */
  get length(): number {
    return this.waiting.size;
  }

  /**
   * Runs work when a place is free.
   *
   * @param waitMs undefined for as long as it takes
   * @throws DeadlineExceeded when no place is free within `waitMs`; the work does not run then
   */
  async run<T>(waitMs: number | undefined, work: () => Promise<T>): Promise<T> {
    await this.begin(waitMs);
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  private async begin(waitMs: number | undefined): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    this.waiting.add(begin);
    try {
      await (waitMs === undefined ? turn : withinDeadline(waitMs, turn));
    } catch {
      this.waiting.delete(begin);
      throw new DeadlineExceeded(`no turn in ${waitMs} ms`);
    }
  }

  private end(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free++;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
