/** An entry of a `FairQueue`. */
export interface Waiting {
  /** Groups take turns, for example all requests from one network: see `turnOf()`. */
  readonly group: string;
}

/**
 * A bounded queue in which groups take turns, so that a group with many entries does not block the others. When the
 * queue is full, a new entry replaces the last entry of the largest group.
 */
export class FairQueue<T extends Waiting> {
  /** Groups in the order of their turns. None is empty. */
  private readonly groups = new Map<string, T[]>();
  private waiting = 0;

  constructor(private readonly places: number) {}

  get length(): number {
    return this.waiting;
  }

  get isFull(): boolean {
    return this.waiting >= this.places;
  }

  /** @returns the entry without a place, if any: the new one, or the one that it replaces */
  add(entry: T): T | undefined {
    const group = this.groups.get(entry.group) ?? [];
    let displaced: T | undefined;
    if (this.isFull) {
      const largest = this.largestGroup();
      if (largest === undefined || largest.length <= group.length + 1) {
        return entry;
      }
      this.waiting--;
      displaced = largest.pop();
    }
    group.push(entry);
    this.groups.set(entry.group, group);
    this.waiting++;
    return displaced;
  }

  /**
   * Takes the first entry of the next group.
   *
   * @param mayTake whether a group may have its turn. Other groups keep their places
   */
  take(mayTake: (group: string) => boolean = () => true): T | undefined {
    for (const [name, group] of this.groups) {
      if (!mayTake(name)) {
        continue;
      }
      this.groups.delete(name);
      const next = group.shift();
      this.waiting--;
      if (group.length > 0) {
        this.groups.set(name, group);
      }
      return next;
    }
    return undefined;
  }

  /** Removes the entries for which `isGone` is true. @returns them */
  drop(isGone: (entry: T) => boolean): T[] {
    const dropped: T[] = [];
    for (const [name, group] of this.groups) {
      const staying: T[] = [];
      group.forEach((entry) => (isGone(entry) ? dropped : staying).push(entry));
      if (staying.length > 0) {
        this.groups.set(name, staying);
      } else {
        this.groups.delete(name);
      }
    }
    this.waiting -= dropped.length;
    return dropped;
  }

  private largestGroup(): T[] | undefined {
    return [...this.groups.values()].reduce<T[] | undefined>(
      (largest, group) => (largest !== undefined && largest.length >= group.length ? largest : group),
      undefined,
    );
  }
}
