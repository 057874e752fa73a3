/** A running timer. */
export interface Timer {
  /** Resolves after the time, or when the timer is ended. */
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** Timers that can all be ended together. */
export class Timers {
  private readonly pending = new Set<() => void>();

  start(milliseconds: number): Timer {
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
