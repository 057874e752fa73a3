import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from './verified-tokens.js';

/** Ends like a signature. */
const token = (number: number, length = 400) =>
  hash('sha256', String(number), 'base64url').padStart(length, '-');

/** As a reader does that sees a token twice. */
function addTwice<T>(tokens: VerifiedTokens<T>, text: string, value: T): void {
  for (let time = 0; time < 2; time++) {
    if (tokens.get(text) === undefined) {
      tokens.add(text, value);
    }
  }
}

describe('VerifiedTokens', () => {
  it('keeps a token from its second time on', () => {
    const tokens = new VerifiedTokens<number>();
    tokens.add(token(1), 1);
    expect(tokens.get(token(1))).toBeUndefined();
    tokens.add(token(1), 1);
    expect(tokens.get(token(1))).toBe(1);
  });

  it('tells tokens apart that end alike', () => {
    const tokens = new VerifiedTokens<string>();
    for (const text of ['a', 'b']) {
      addTwice(tokens, `${text}${token(1)}`, text);
    }
    expect([tokens.get(`a${token(1)}`), tokens.get(`b${token(1)}`)]).toEqual(['a', 'b']);
    expect(tokens.get(`c${token(1)}`)).toBeUndefined();
  });

  it('has room for 10,000 tokens of usual size', () => {
    const tokens = new VerifiedTokens<number>();
    for (let number = 0; number < 10_000; number++) {
      addTwice(tokens, token(number, 500), number);
    }
    for (let number = 0; number < 10_000; number++) {
      expect(tokens.get(token(number, 500))).toBe(number);
    }
  });

  it('forgets the oldest, and takes it back when it comes again', () => {
    const tokens = new VerifiedTokens<number>();
    for (let number = 0; number < 30_000; number++) {
      addTwice(tokens, token(number), number);
    }
    expect(tokens.get(token(0))).toBeUndefined();
    expect(tokens.get(token(29_999))).toBe(29_999);
    addTwice(tokens, token(0), 0);
    expect(tokens.get(token(0))).toBe(0);
  });

  it('counts characters, so that long tokens take the place of many', () => {
    const tokens = new VerifiedTokens<number>();
    const numbers = Array.from({ length: 2000 }, (_, number) => number);
    numbers.forEach((number) => addTwice(tokens, token(number, 12_000), number));
    const kept = numbers.filter((number) => tokens.get(token(number, 12_000)) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(524);
    expect(kept.length).toBeGreaterThan(500);
  });
});
