import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type KnownLogin, LoginKnowledge } from './login-knowledge.js';

const at = (knownAt: number): KnownLogin => ({ userId: 7, expiresAt: 1e9, stamp: undefined, knownAt });

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('what is known about a login', () => {
  it('holds for as many seconds, and not for a clock that was set back', () => {
    const knowledge = new LoginKnowledge(5);
    knowledge.noteLive('a', at(10_000));
    expect([9999, 10_000, 14_999, 15_000].map((now) => knowledge.get('a', now) !== undefined)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    knowledge.noteLive('b', at(10_000));
    expect(new LoginKnowledge(0).get('b', 10_000)).toBeUndefined();
  });

  it('is its end, whatever was found out before', () => {
    const knowledge = new LoginKnowledge(5);
    knowledge.noteLive('a', at(0));
    knowledge.noteEnd('a', 'kicked');
    knowledge.noteLive('a', at(0));
    knowledge.noteEnd('a', 'idle');
    expect([knowledge.get('a', 0), knowledge.endOf('a')]).toEqual([undefined, 'kicked']);
  });

  it('is in doubt while a transaction that ends it may be rolled back', () => {
    const knowledge = new LoginKnowledge(5);
    knowledge.noteLive('a', at(0));
    knowledge.noteDoubt('a');
    knowledge.noteLive('a', at(0));
    knowledge.noteFoundEnd('a', 'kicked');
    expect([knowledge.get('a', 0), knowledge.endOf('a'), knowledge.isInDoubt('a')]).toEqual([
      undefined,
      undefined,
      true,
    ]);
    jest.advanceTimersByTime(10_001);
    knowledge.beginQuestion('a');
    knowledge.noteLive('a', at(0));
    expect([knowledge.get('a', 0)?.userId, knowledge.isInDoubt('a')]).toEqual([7, false]);
  });

  it('is bounded', () => {
    const knowledge = new LoginKnowledge(5);
    for (let i = 0; i <= 50_000; i++) {
      knowledge.noteLive(`live ${i}`, at(0));
      knowledge.noteEnd(`ended ${i}`, 'kicked');
    }
    expect([knowledge.get('live 0', 0), knowledge.endOf('ended 0')]).toEqual([undefined, undefined]);
    expect([knowledge.get('live 1', 0)?.userId, knowledge.endOf('ended 1')]).toEqual([7, 'kicked']);
  });
});
