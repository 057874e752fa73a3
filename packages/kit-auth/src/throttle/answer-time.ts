const MIN_MS = 150;
const MAX_MS = 3000;
/** A check may have to wait for one that runs, and for other work of the machine. */
const FACTOR = 3;
/** Each holds a request in memory, some 20 KB. */
const MAX_WAITING = 10_000;

/** Gives answers that must not tell whether a password was looked at the time that a look may take. */
export class AnswerTime {
  /** How long checks of passwords take at most, lately. */
  private slowestMs = 200;
  private waiting = 0;

  /** Whether so many answers wait that no further one should. */
  get isFull(): boolean {
    return this.waiting >= MAX_WAITING;
  }

  /** Runs a check of a password, and learns how long it takes. */
  async of<T>(check: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await check();
    } finally {
      this.slowestMs = Math.max(performance.now() - started, this.slowestMs * 0.8);
    }
  }

  /**
   * @param look finds nothing (undefined) unless a password is right
   * @param mayBeLate whether to wait for a look that takes longer than expected
   * @returns what it finds, at once; undefined only after a time that does not depend on it
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
