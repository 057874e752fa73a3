import { BoundedMap } from 'kit-auth/tools';

const MAX_NAMES = 10_000;

/**
 * Tells whether something with a name happens for the first time within an interval, in this process. It remembers the
 * last 10,000 names.
 */
export class OncePer {
  /** When the interval ends. */
  private readonly ends = new BoundedMap<string, number>(MAX_NAMES);

  constructor(private readonly milliseconds: number) {}

  isFirst(name: string): boolean {
    const now = Date.now();
    const end = this.ends.get(name) ?? 0;
    // A clock that is set back does not prolong the interval.
    if (now < end && end <= now + this.milliseconds) {
      return false;
    }
    this.ends.set(name, now + this.milliseconds);
    return true;
  }

  /** Records that it happened in another process, whose clock may be ahead. */
  note(name: string, at: number): void {
    const end = Math.min(at, Date.now()) + this.milliseconds;
    if (end > (this.ends.get(name) ?? 0)) {
      this.ends.set(name, end);
    }
  }
}
