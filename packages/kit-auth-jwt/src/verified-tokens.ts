/** About 15,000 tokens of usual size. */
const MOST_CHARACTERS = 6_291_456;
/** How much room is made at once: to find its oldest, a Map walks over every gap that deletions left before it. */
const ROOM = MOST_CHARACTERS / 64;
const MARKS = 65_536;

/**
 * What was found out about tokens, for when they come again, in bounded memory: the one that was added first makes
 * room. A token is kept from its second time on, because to keep one that comes once takes longer than to verify it.
 */
export class VerifiedTokens<T> {
  private readonly tokens = new Map<string, T>();
  private characters = 0;
  /** The marks of tokens that came once, each in the place that it names itself. */
  private readonly marks = new Uint32Array(MARKS);

  get(token: string): T | undefined {
    return this.tokens.get(token);
  }

  /** @param token that is not kept, and whose signature is right: its last characters are as good as random */
  add(token: string, value: T): void {
    const mark = markOf(token);
    if (this.marks[mark % MARKS] !== mark) {
      this.marks[mark % MARKS] = mark;
      return;
    }
    this.tokens.set(token, value);
    this.characters += token.length;
    if (this.characters > MOST_CHARACTERS) {
      this.makeRoom();
    }
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

/** 30 bits of the last characters; the very last has spare bits. */
function markOf(token: string): number {
  let mark = 0;
  for (let i = 2; i <= 6; i++) {
    mark = (mark << 6) | (token.charCodeAt(token.length - i) & 63);
  }
  return mark;
}
