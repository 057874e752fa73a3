/** A wait that began. */
export interface Wait {
  /** Resolves after the time, or when all waits end. */
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** Timers that can all end at once. */
export class Waits {
  private readonly pending = new Set<() => void>();

  start(milliseconds: number): Wait {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      const timer = setTimeout(() => end(), milliseconds);
      end = () => {
        clearTimeout(timer);
        this.pending.delete(end);
        resolve();
      };
    });
    this.pending.add(end);
    return { over, end };
  }

  endAll(): void {
    this.pending.forEach((end) => end());
  }
}

/** Waits for work that never rejects, and no longer than that. */
export async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  const deadline = new Waits().start(milliseconds);
  await Promise.race([work, deadline.over]);
  deadline.end();
}
