import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from './verified-tokens.js';

/** Made once, because V8 keeps the hash of a string with it. */
const texts: Record<number, string[]> = {};
const token = (number: number, length: number) =>
  ((texts[length] ??= [])[number] ??= String(number).padStart(length, '-'));

function kept(tokens: VerifiedTokens<object>, count: number, length: number): number[] {
  return Array.from({ length: count }, (_, number) => number).filter(
    (number) => tokens.get(token(number, length)) !== undefined,
  );
}

/** Lets a token come for the first and the second time. */
function addTwice(tokens: VerifiedTokens<object>, text: string, result: object = {}): void {
  tokens.add(text, result);
  tokens.add(text, result);
}

describe('VerifiedTokens', () => {
  it('keeps a token from its second use on', () => {
    const tokens = new VerifiedTokens<{ of: string }>();
    tokens.add(token(1, 400), { of: 'first' });
    expect(tokens.get(token(1, 400))).toBeUndefined();
    tokens.add(token(1, 400), { of: 'second' });
    expect(tokens.get(token(1, 400))).toEqual({ of: 'second' });
  });

  it('keeps few of the tokens that come once', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 100_000; number++) {
      tokens.add(token(number, 40), {});
    }
    expect(kept(tokens, 100_000, 40).length).toBeLessThan(100_000 / 32);
  });

  it('keeps tokens that come again after 20,000 others', () => {
    const tokens = new VerifiedTokens<object>();
    for (let use = 0; use < 2; use++) {
      for (let number = 0; number < 20_000; number++) {
        tokens.add(token(number, 40), {});
      }
    }
    expect(kept(tokens, 20_000, 40)).toHaveLength(20_000);
  });

  it('tells tokens apart by their whole text', () => {
    const tokens = new VerifiedTokens<{ of: string }>();
    addTwice(tokens, 'header.payload-a.signature', { of: 'a' });
    expect(tokens.get('header.payload-a.signature')).toEqual({ of: 'a' });
    expect(tokens.get('header.payload-b.signature')).toBeUndefined();
  });

  it('has room for 10,000 tokens of usual size', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 10_000; number++) {
      addTwice(tokens, token(number, 500));
    }
    expect(kept(tokens, 10_000, 500)).toHaveLength(10_000);
  });

  it('keeps a token that is used, and evicts the oldest of those that are not', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 60_000; number++) {
      addTwice(tokens, token(number, 400));
      tokens.get(token(0, 400));
    }
    expect(tokens.get(token(0, 400))).toBeDefined();
    expect(tokens.get(token(59_999, 400))).toBeDefined();
    const [second = 0, ...later] = kept(tokens, 60_000, 400).slice(1);
    expect(later).toEqual(Array.from(later, (_, i) => second + 1 + i));
    expect(later.at(-1)).toBe(59_999);
  });

  it('admits a new token when all others are in use', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 15_728; number++) {
      addTwice(tokens, token(number, 400));
    }
    for (let number = 15_728; number < 15_750; number++) {
      kept(tokens, number, 400);
      addTwice(tokens, token(number, 400));
      expect(tokens.get(token(number, 400))).toBeDefined();
    }
  });

  it('evicts a token that is used no more', () => {
    const tokens = new VerifiedTokens<object>();
    addTwice(tokens, token(0, 400));
    tokens.get(token(0, 400));
    for (let number = 1; number < 60_000; number++) {
      addTwice(tokens, token(number, 400));
    }
    expect(tokens.get(token(0, 400))).toBeUndefined();
  });

  it('counts characters: a long token takes the place of many', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 2000; number++) {
      addTwice(tokens, token(number, 12_000));
    }
    expect(kept(tokens, 2000, 12_000)).toHaveLength(524); // 6 million characters
  });
});
