/** Of a generation; about 10,000 tokens of usual size. */
const MOST_CHARACTERS = 4_194_304;
const MARKS = 65_536;

/**
 * What was found out about tokens, for when they come again, in bounded memory. A token is kept from its second time
 * on: to keep one that comes once takes longer than to verify it. Two generations: when the younger is full, the
 * older is forgotten, but for what was asked for in the meantime.
 */
export class VerifiedTokens<T> {
  private younger = new Map<string, T>();
  private older = new Map<string, T>();
  private characters = 0;
  /** The marks of tokens that came once, each in the place that it names itself. */
  private readonly marks = new Uint32Array(MARKS);

  get(token: string): T | undefined {
    const known = this.younger.get(token);
    if (known !== undefined) {
      return known;
    }
    const old = this.older.get(token);
    if (old !== undefined) {
      this.keep(token, old);
    }
    return old;
  }

  /** @param token whose signature is right: its last characters are as good as random */
  add(token: string, value: T): void {
    const mark = markOf(token);
    if (this.marks[mark % MARKS] === mark) {
      this.keep(token, value);
    } else {
      this.marks[mark % MARKS] = mark;
    }
  }

  private keep(token: string, value: T): void {
    this.characters += token.length;
    if (this.characters > MOST_CHARACTERS) {
      this.older = this.younger;
      this.younger = new Map();
      this.characters = token.length;
    }
    this.younger.set(token, value);
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
