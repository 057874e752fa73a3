import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from './verified-tokens.js';

const token = (number: number, length: number) => String(number).padStart(length, '-');

function kept(tokens: VerifiedTokens<object>, count: number, length: number): number[] {
  return Array.from({ length: count }, (_, number) => number).filter(
    (number) => tokens.get(token(number, length)) !== undefined,
  );
}

describe('VerifiedTokens', () => {
  it('tells tokens apart by their whole text', () => {
    const tokens = new VerifiedTokens<{ of: string }>();
    tokens.add('header.payload-a.signature', { of: 'a' });
    expect(tokens.get('header.payload-a.signature')).toEqual({ of: 'a' });
    expect(tokens.get('header.payload-b.signature')).toBeUndefined();
  });

  it('has room for 10,000 tokens of usual size', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 10_000; number++) {
      tokens.add(token(number, 500), {});
    }
    expect(kept(tokens, 10_000, 500)).toHaveLength(10_000);
  });

  it('forgets the token that was used longest ago', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 30_000; number++) {
      tokens.add(token(number, 400), {});
      tokens.get(token(0, 400));
    }
    expect(tokens.get(token(0, 400))).toBeDefined();
    expect(tokens.get(token(1, 400))).toBeUndefined();
    expect(tokens.get(token(29_999, 400))).toBeDefined();
  });

  it('counts characters: a long token takes the place of many', () => {
    const tokens = new VerifiedTokens<object>();
    for (let number = 0; number < 2000; number++) {
      tokens.add(token(number, 12_000), {});
    }
    expect(kept(tokens, 2000, 12_000)).toHaveLength(524); // 6 million characters
  });
});
