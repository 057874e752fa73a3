/** Limits how much work runs at the same time. The rest waits, in the order of its arrival. */
export class Lanes {
  private readonly waiting: (() => void)[] = [];

  /** @param free how much work may run at the same time */
  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) {
      this.free--;
    } else {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) {
        this.free++;
      } else {
        next();
      }
    }
  }
}
