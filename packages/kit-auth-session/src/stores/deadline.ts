import { AsyncResource } from 'node:async_hooks';

interface Waiting {
  until: number;
  onMiss: (() => void) | undefined;
  reject(reason: unknown): void;
}

/**
 * Bounds how long a call to a server may take, and how many may be under way: a server that has gone silent makes
 * callers neither wait nor queue up.
 */
export class Deadline {
  private underWay = 0;
  /** In the order of their ends, because all are given the same time. */
  private readonly waiting = new Set<Waiting>();
  /** One for all of them: one for each costs more than the rest of this. */
  private timer: NodeJS.Timeout | undefined;
  /** The timer belongs to no request, although one starts it. */
  private readonly ofNobody = new AsyncResource('Deadline');

  constructor(
    private readonly what: string,
    private readonly milliseconds: number,
    private readonly most = 1000,
  ) {}

  /**
   * Rejects when the call takes too long, or when too many are under way already.
   *
   * @param onMiss is called when it takes too long
   */
  within<T>(call: () => Promise<T>, onMiss?: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.underWay >= this.most) {
        throw new Error(`${this.what} has ${this.most} calls to answer`);
      }
      const answer = call();
      const waiting = { until: performance.now() + this.milliseconds, onMiss, reject };
      const settled = () => {
        this.underWay--;
        this.waiting.delete(waiting);
      };
      this.underWay++;
      this.waiting.add(waiting);
      this.timer ??= this.endOverdueIn(this.milliseconds);
      answer.then(
        (value) => {
          settled();
          resolve(value);
        },
        (error: unknown) => {
          settled();
          waiting.reject(error);
        },
      );
    });
  }

  private endOverdueIn(milliseconds: number): NodeJS.Timeout {
    return this.ofNobody.runInAsyncScope(() => setTimeout(() => this.endOverdue(), milliseconds).unref());
  }

  private endOverdue(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const waiting of this.waiting) {
      if (waiting.until > now) {
        this.timer = this.endOverdueIn(waiting.until - now);
        return;
      }
      this.waiting.delete(waiting);
      waiting.reject(new Error(`${this.what} gave no answer in ${this.milliseconds} ms`));
      waiting.onMiss?.();
    }
  }
}
