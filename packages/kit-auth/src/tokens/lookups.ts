import { crc32 } from 'node:zlib';
import { currentClient } from '../context/kit-auth.context.js';
import { ClientLeftException } from '../errors/auth.exception.js';

const MAX_ENTRIES = 10_000;

/** A map with a limit: a new entry is the newest, and makes the oldest one leave. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  /** @param left receives each value that left because of the limit */
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
 * Keeps values for a short time, 10,000 at most. A value that was looked up before an eviction is not kept after it.
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
 * Whether a look-up was dropped because its client has left, which is not that of the current request. Requests that
 * share the look-up of another one then look again.
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
 * Shares the look-ups of a key. Whoever asks while one is running waits for the next one, which all of them share: no
 * answer is older than its question. The next one does not begin when the first one fails, unless its client has left.
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
export class SharedLookups<T> {
  private readonly running = new Map<string, Lookup<T>>();

  constructor(private readonly find: (key: string) => Promise<T>) {}

  async ask(key: string): Promise<T> {
    for (;;) {
      try {
        return await this.answer(key);
      } catch (error) {
        if (!isLeftByAnother(error)) {
          throw error;
        }
      }
    }
  }

  private answer(key: string): Promise<T> {
    const running = this.running.get(key);
    if (running === undefined) {
      return this.start(key);
    }
    running.next ??= running.answer.then(() => this.start(key));
    return running.next;
  }

  private start(key: string): Promise<T> {
    const lookup: Lookup<T> = { answer: this.find(key), next: undefined };
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

/** The text of a token: `body`, and a CRC-32 of it in base 36. Secret scanners find leaked tokens by prefix and checksum. */
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
