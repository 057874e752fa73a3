import { crc32 } from 'node:zlib';
import { currentClient } from '../context/kit-auth.context.js';
import { ClientLeftException } from '../errors/auth.exception.js';

const MAX_ENTRIES = 10_000;

/** A map with a limit. When it is full, a new entry evicts the oldest one. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  /** @param left receives each evicted value */
  constructor(
    private readonly max: number,
    private readonly left?: (value: Value) => void,
  ) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const [oldest, leaving] of this) {
      if (this.size <= this.max) {
        break;
      }
      this.delete(oldest);
      this.left?.(leaving);
    }
    return this;
  }
}

/**
 * Caches up to 10,000 values for a short time. A value that was looked up before an eviction is not cached after it.
 *
 * @example
 * const { age } = cache;
 * cache.set(userId, await this.load(userId), age);
 */
export class ShortCache<Key, Value> {
  /** Ordered by expiry, because all entries live equally long. */
  private readonly entries = new BoundedMap<Key, { value: Value; until: number }>(MAX_ENTRIES);

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
    this.entries.set(key, { value, until: Date.now() + this.milliseconds });
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

/**
 * Whether a lookup was dropped because the client of another request disconnected. Requests that share such a lookup
 * then repeat it.
 */
export function isLeftByAnother(error: unknown): boolean {
  return error instanceof ClientLeftException && currentClient()?.hasLeft() !== true;
}

interface Lookup<T> {
  readonly answer: Promise<T>;
  /** Shared with callers that arrive while the lookup is in flight. */
  next: Promise<T> | undefined;
}

/**
 * Shares the lookups of a key. Callers that arrive while one is running wait for the next one, and share it. So no
 * result is older than its call. The next one does not begin when the first one fails, unless its client has left.
 *
 * @example
 * ```ts
 * private readonly lookups = new SharedLookups((id) => this.store.find(id));
 *
 * find(id: string): Promise<Device | undefined> {
 *   return this.lookups.ask(id);
 * }
 * ```
 */
export class SharedLookups<T, Details extends unknown[] = []> {
  private readonly running = new Map<string, Lookup<T>>();

  /** @param find gets the details of the caller for whom it runs. They follow from the key */
  constructor(private readonly find: (key: string, ...details: Details) => Promise<T>) {}

  async ask(key: string, ...details: Details): Promise<T> {
    for (;;) {
      try {
        return await this.answer(key, details);
      } catch (error) {
        if (!isLeftByAnother(error)) {
          throw error;
        }
      }
    }
  }

  private answer(key: string, details: Details): Promise<T> {
    const running = this.running.get(key);
    if (running === undefined) {
      return this.start(key, details);
    }
    running.next ??= running.answer.then(() => this.start(key, details));
    return running.next;
  }

  private start(key: string, details: Details): Promise<T> {
    const lookup: Lookup<T> = { answer: this.find(key, ...details), next: undefined };
    this.running.set(key, lookup);
    const done = () => {
      if (this.running.get(key) === lookup) {
        this.running.delete(key);
      }
    };
    lookup.answer.then(done, done);
    return lookup.answer;
  }
}

/** Builds a token: `body`, and a CRC-32 of it in base 36. Secret scanners find leaked tokens by prefix and checksum. */
export function withChecksum(body: string): string {
  return `${body}_${checksumOf(body)}`;
}

/** Whether `checksum` is the one of `body`. A token with a wrong one needs no lookup. */
export function hasChecksum(body: string, checksum: string | undefined): boolean {
  return checksumOf(body) === checksum;
}

function checksumOf(body: string): string {
  return crc32(body).toString(36).padStart(7, '0');
}
