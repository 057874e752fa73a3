import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from './verified-tokens.js';

/** Ends like a signature. */
const token = (number: number, length = 400) =>
  hash('sha256', String(number), 'base64url').padStart(length, '-');

function addTwice(tokens: VerifiedTokens<number>, number: number): void {
  tokens.add(token(number), number);
  tokens.add(token(number), number);
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
    for (const text of ['a', 'b', 'a', 'b']) {
      tokens.add(`${text}${token(1)}`, text);
    }
    expect([tokens.get(`a${token(1)}`), tokens.get(`b${token(1)}`)]).toEqual(['a', 'b']);
    expect(tokens.get(`c${token(1)}`)).toBeUndefined();
  });

  it('has room for 10,000 tokens of usual size', () => {
    const tokens = new VerifiedTokens<number>();
    for (let number = 0; number < 10_000; number++) {
      addTwice(tokens, number);
    }
    for (let number = 0; number < 10_000; number++) {
      expect(tokens.get(token(number))).toBe(number);
    }
  });

  it('forgets what nobody asks for, and keeps what is in use', () => {
    const tokens = new VerifiedTokens<number>();
    addTwice(tokens, 0);
    addTwice(tokens, 1);
    for (let number = 2; number < 50_000; number++) {
      addTwice(tokens, number);
      expect(tokens.get(token(0))).toBe(0);
    }
    expect(tokens.get(token(1))).toBeUndefined();
  });

  it('counts characters, so that long tokens take the place of many', () => {
    const tokens = new VerifiedTokens<number>();
    const long = (number: number) => token(number, 12_000);
    for (let number = 0; number < 2000; number++) {
      tokens.add(long(number), number);
      tokens.add(long(number), number);
    }
    const kept = Array.from({ length: 2000 }, (_, number) => tokens.get(long(number))).filter(
      (it) => it !== undefined,
    );
    expect(kept.length).toBeLessThan(800);
    expect(kept.length).toBeGreaterThan(300);
  });
});
