const MAX_NAMES = 10_000;

/**
 * Tells whether something happens for the first time within an interval, by name, in this process. It remembers the last
 * 10,000 names.
 */
export class OncePer {
  /** When the interval ends. */
  private readonly ends = new Map<string, number>();

  constructor(private readonly milliseconds: number) {}

  isFirst(name: string): boolean {
    const now = Date.now();
    const end = this.ends.get(name) ?? 0;
    // A clock that is set back does not prolong the interval.
    if (now < end && end <= now + this.milliseconds) {
      return false;
    }
    this.put(name, now + this.milliseconds);
    return true;
  }

  /** Notes that it happened in another process, whose clock may be ahead. */
  note(name: string, at: number): void {
    const end = Math.min(at, Date.now()) + this.milliseconds;
    if (end > (this.ends.get(name) ?? 0)) {
      this.put(name, end);
    }
  }

  private put(name: string, end: number): void {
    this.ends.delete(name);
    this.ends.set(name, end);
    if (this.ends.size > MAX_NAMES) {
      const [oldest] = this.ends.keys();
      this.ends.delete(oldest as string);
    }
  }
}
