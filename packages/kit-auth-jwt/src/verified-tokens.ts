/** About 15,000 tokens of usual size. */
const MOST_CHARACTERS = 6_291_456;
/** How much room is made at once: to find its oldest, a Map walks over every gap that deletions left before it. */
const ROOM = MOST_CHARACTERS / 64;
const MARK_BITS = 20;
/** A quarter: of the tokens that come for the first time, no more than so many pass for known. */
const MOST_MARKS = 2 ** MARK_BITS / 4;

/**
 * What was found out about tokens, for when they come again, in bounded memory: the one that was added first makes
 * room. A token is kept from its second time on, because to keep one that comes once takes longer than to verify it.
 */
export class VerifiedTokens<T> {
  private readonly tokens = new Map<string, T>();
  private characters = 0;
  /** A bit for each mark of a token that came once; now and then, all are forgotten. */
  private readonly marks = new Uint8Array(2 ** MARK_BITS / 8);
  private marked = 0;

  get(token: string): T | undefined {
    return this.tokens.get(token);
  }

  /** @param token that is not kept, and whose signature is right: its last characters are as good as random */
  add(token: string, value: T): void {
    if (this.isNew(markOf(token))) {
      return;
    }
    this.tokens.set(token, value);
    this.characters += token.length;
    if (this.characters > MOST_CHARACTERS) {
      this.makeRoom();
    }
  }

  private isNew(mark: number): boolean {
    const [place, bit] = [mark >>> 3, 1 << (mark & 7)];
    if (((this.marks[place] as number) & bit) !== 0) {
      return false;
    }
    if (++this.marked > MOST_MARKS) {
      this.marks.fill(0);
      this.marked = 1;
    }
    (this.marks[place] as number) |= bit;
    return true;
  }

  private makeRoom(): void {
    for (const token of this.tokens.keys()) {
      if (this.characters <= MOST_CHARACTERS - ROOM) {
        return;
      }
      this.tokens.delete(token);
      this.characters -= token.length;
    }
  }
}

/** FNV-1a over the last characters. */
function markOf(token: string): number {
  let mark = 0x811c9dc5;
  for (let i = token.length - 8; i < token.length; i++) {
    mark = Math.imul(mark ^ token.charCodeAt(i), 0x01000193);
  }
  return mark >>> (32 - MARK_BITS);
}
