const MIN_MS = 150;
const MAX_MS = 3000;
/** A check can be delayed by another check, or by other work of the machine. */
const FACTOR = 3;
/** Each waiting answer keeps a request in memory, about 20 KB. */
const MAX_WAITING = 10_000;

/** Delays refusals, so that their time does not reveal whether a password was compared. */
export class AnswerTime {
  /** The slowest recent check of a password. */
  private slowestMs = 200;
  private waiting = 0;

  /** Whether so many answers are waiting that no other may be delayed. */
  get isFull(): boolean {
    return this.waiting >= MAX_WAITING;
  }

  /** Runs a check of a password and measures it. */
  async of<T>(check: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await check();
    } finally {
      this.slowestMs = Math.max(performance.now() - started, this.slowestMs * 0.8);
    }
  }

  /**
   * @param look resolves to undefined unless a password is right
   * @param mayBeLate whether to wait for a look that takes longer than expected
   * @returns the result at once if there is one; undefined only after a time that does not depend on the look
   */
  async within<T>(look: () => Promise<T | undefined>, mayBeLate: () => boolean): Promise<T | undefined> {
    const timers: NodeJS.Timeout[] = [];
    const after = (milliseconds: number) =>
      new Promise<undefined>((resolve) => {
        timers.push(setTimeout(resolve, milliseconds, undefined));
      });
    const passed = after(Math.min(MAX_MS, Math.max(MIN_MS, this.slowestMs * FACTOR)));
    const looking = look();
    this.waiting++;
    try {
      const found = await Promise.race([looking, passed]);
      if (found !== undefined) {
        return found;
      }
      await passed;
      return mayBeLate() ? await Promise.race([looking, after(MAX_MS)]) : undefined;
    } finally {
      this.waiting--;
      timers.forEach(clearTimeout);
    }
  }
}
