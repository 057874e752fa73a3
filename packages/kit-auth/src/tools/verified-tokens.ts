/** Enough for about 15,000 tokens of usual size. */
const MAX_CHARACTERS = 6_291_456;
const MARK_BITS = 20;
const MARKS = 2 ** MARK_BITS;
/** The share of first uses that pass for a second one is less than a thirty-second. */
const MAX_MARKED = MARKS / 32;
/** How many used tokens an eviction passes over, so that it stays short. */
const MAX_SPARED = 16;

interface Entry<T> {
  readonly result: T;
  /** Whether the token came since it was last considered for eviction. */
  isUsed: boolean;
}

/**
 * Caches the results of verified tokens. A token with an HMAC is kept from its second use on: one that comes once would cost
 * more to keep and to collect as garbage than to verify.
 *
 * Bounded by the total length of the tokens. Evicts from the oldest token on, and spares once those that were used
 * since they were added or last spared (second chance). So a token that comes again is not moved.
 */
export class VerifiedTokens<T extends object> {
  /** Entries in the order in which they were added or last spared. */
  private readonly entries = new Map<string, Entry<T>>();
  /**
   * One iterator for all evictions: a new one would first step over the gaps that earlier evictions have left. While it
   * rests, it retains everything that is deleted, so entries are only deleted right after it has returned them.
   */
  private readonly oldest = this.entries.entries();
  private characters = 0;
  /** A bit for each token that came once, at its `markOf()`. Cleared from time to time. */
  private readonly marks = new Uint8Array(MARKS / 8);
  private marked = 0;

  get(token: string): T | undefined {
    const entry = this.entries.get(token);
    if (entry === undefined) {
      return undefined;
    }
    entry.isUsed = true;
    return entry.result;
  }

  /**
   * @param token one that `get` does not find, with the right signature: its last characters are as good as random
   * @param atOnce keeps it from its first use on, because its signature takes long to verify
   */
  add(token: string, result: T, atOnce = false): void {
    if (this.entries.has(token) || (!atOnce && this.isNew(token))) {
      return;
    }
    this.entries.set(token, { result, isUsed: false });
    this.characters += token.length;
    for (let spared = 0; this.characters > MAX_CHARACTERS;) {
      const [oldest, entry] = this.oldest.next().value as [string, Entry<T>];
      this.entries.delete(oldest);
      if (entry.isUsed && spared < MAX_SPARED) {
        spared++;
        entry.isUsed = false;
        this.entries.set(oldest, entry);
      } else {
        this.characters -= oldest.length;
      }
    }
  }

  private isNew(token: string): boolean {
    const mark = markOf(token);
    const bit = 1 << (mark & 7);
    if (((this.marks[mark >>> 3] as number) & bit) !== 0) {
      return false;
    }
    if (++this.marked > MAX_MARKED) {
      this.marks.fill(0);
      this.marked = 1;
    }
    (this.marks[mark >>> 3] as number) |= bit;
    return true;
  }
}

/** FNV-1a of the last characters. Calling native code, such as `crc32()`, takes longer. */
function markOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let i = token.length - 8; i < token.length; i++) {
    hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
  }
  return hash >>> (32 - MARK_BITS);
}
