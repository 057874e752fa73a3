const MAX_ENTRIES = 10_000;

/**
 * Keeps values for a short time, 10,000 at most. A value that was looked up before an eviction is not kept after it.
 *
 * @example
 * const { age } = cache;
 * cache.set(userId, await this.load(userId), age);
 */
export class ShortCache<Key, Value> {
  /** Ordered by expiry, because all entries live equally long. */
  private readonly entries = new Map<Key, { value: Value; until: number }>();

  /** Increases with each eviction. */
  age = 0;

  /** @param milliseconds 0 for a cache that keeps nothing */
  constructor(private readonly milliseconds: number) {}

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key);
    return entry !== undefined && Date.now() < entry.until ? entry.value : undefined;
  }

  /** @param age the `age` of the cache when the look-up began */
  set(key: Key, value: Value, age: number): void {
    if (this.milliseconds === 0 || age !== this.age) {
      return;
    }
    this.entries.delete(key);
    this.entries.set(key, { value, until: Date.now() + this.milliseconds });
    if (this.entries.size > MAX_ENTRIES) {
      const [oldest] = this.entries.keys();
      this.entries.delete(oldest as Key);
    }
  }

  /** Removes an entry. Without a key, removes all entries. */
  evict(key?: Key): void {
    this.age++;
    if (key === undefined) {
      this.entries.clear();
    } else {
      this.entries.delete(key);
    }
  }
}
