import { FairQueue, type Waiting } from 'kit-auth/tools';

interface Turn<T extends Waiting> extends Waiting {
  readonly entry: T;
  readonly start: () => void;
  readonly refuse: (why: Error) => void;
}

/**
 * Runs a limited number of tasks at once, with a lower limit for each group. Groups take turns, so that hanging tasks
 * of one group do not delay other groups.
 */
export class FairTurns<T extends Waiting> {
  private readonly waiting = new FairQueue<Turn<T>>(Infinity);
  /** The number of running tasks of each group. */
  private readonly running = new Map<string, number>();

  constructor(
    private readonly atOnce: number,
    private readonly ofGroup: number,
  ) {}

  async run<R>(entry: T, work: () => Promise<R>): Promise<R> {
    const { group } = entry;
    await new Promise<void>((start, refuse) => {
      this.waiting.add({ group, entry, start, refuse });
      this.startNext();
    });
    try {
      return await work();
    } finally {
      this.note(group, -1);
      this.startNext();
    }
  }

  /** Rejects a task that waits for its turn. */
  refuse(entry: T, why: Error): void {
    this.waiting.drop((turn) => turn.entry === entry).forEach((turn) => turn.refuse(why));
  }

  private startNext(): void {
    const running = [...this.running.values()].reduce((sum, count) => sum + count, 0);
    if (running >= this.atOnce) {
      return;
    }
    const next = this.waiting.take((group) => (this.running.get(group) ?? 0) < this.ofGroup);
    if (next !== undefined) {
      this.note(next.group, 1);
      next.start();
    }
  }

  private note(group: string, change: 1 | -1): void {
    const count = (this.running.get(group) ?? 0) + change;
    if (count === 0) {
      this.running.delete(group);
    } else {
      this.running.set(group, count);
    }
  }
}
