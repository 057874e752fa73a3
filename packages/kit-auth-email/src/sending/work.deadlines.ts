import { Timers } from './timers.js';

/** Limits the time of work, and abandons it when the application ends. */
export class WorkDeadlines {
  private readonly timers = new Timers();
  isClosed = false;

  constructor(private readonly milliseconds: number) {}

  /** Abandons work that takes too long. Its late result has no effect. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.isClosed) {
      throw new Error('the application ended');
    }
    const deadline = this.timers.start(this.milliseconds);
    const late = deadline.over.then(() => {
      throw new Error(`no answer in ${this.milliseconds / 1000} s`);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      deadline.end();
      late.catch(() => undefined);
    }
  }

  close(): void {
    this.isClosed = true;
    this.timers.endAll();
  }
}
