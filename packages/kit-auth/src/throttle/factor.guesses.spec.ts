import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate, loginUser } from 'test-support';
import type { AuthAction } from '../contract/auth-event.js';
import type { FactorOutcome } from '../contract/factor.js';
import { AuthException } from '../errors/auth.exception.js';
import type { Ports } from '../ports/ports.js';
import { Counters } from './counters.js';
import { FactorGuesses } from './factor.guesses.js';

const DAY_MS = 24 * 60 * 60_000;
const ADA = loginUser({ userId: 7 });
const BOB = loginUser({ userId: 8 });
const ports = { factors: [{ verify: async () => 'right' }] } as unknown as Ports;

describe.each([{ failures: 5, maxWaitSeconds: 900 }, false])('guesses with the throttle %j', (throttle) => {
  const note = jest.fn<AuthAction['note']>();
  let guesses: FactorGuesses;
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate();
    note.mockClear();
    guesses = new FactorGuesses(new Counters({ login: { throttle } } as never), ports);
    guesses.onModuleInit();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** The code of the refusal, or what the answer is. */
  async function guess(
    outcome: FactorOutcome | Error,
    { user = ADA, isNew = false } = {},
  ): Promise<FactorOutcome | number | undefined> {
    try {
      const action = { note } as unknown as AuthAction;
      await guesses.count({ user, factor: 'totp', action, isNew }, async () => {
        if (outcome instanceof Error) {
          throw outcome;
        }
        return outcome;
      });
      return 'right';
    } catch (error) {
      return error instanceof AuthException ? error.code : undefined;
    }
  }
  const five = async (...args: Parameters<typeof guess>) => {
    const outcomes = [];
    for (let i = 0; i < 5; i++) {
      outcomes.push(await guess(...args));
    }
    return outcomes;
  };

  it('are looked at 110 times a day, however many come at once', async () => {
    const end = Date.now() + DAY_MS;
    let lookedAt = 0;
    let refused = 0;
    while (Date.now() < end) {
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => guess('wrong')));
      expect(outcomes.filter((outcome) => outcome !== 40113 && outcome !== 42900)).toEqual([]);
      const seen = outcomes.filter((outcome) => outcome === 40113).length;
      lookedAt += seen;
      refused += 4 - seen;
      pass(seen === 0 ? 60_000 : 0);
    }
    expect(lookedAt).toBeGreaterThan(90);
    expect(lookedAt).toBeLessThanOrEqual(110);
    expect(refused).toBeGreaterThan(lookedAt);
  });

  it('are refused after five wrong ones, also if they are right, until the wait is over', async () => {
    expect(await five('wrong')).toEqual(Array(5).fill(40113));
    expect(await guess('right')).toBe(42900);
    pass(999);
    expect(await guess('right')).toBe(42900);
    pass(1);
    expect(await guess('right')).toBe('right');
    expect(await five('wrong')).toEqual(Array(5).fill(40113));
    expect(await guess('wrong')).toBe(42900);
  });

  it('say how long to wait', async () => {
    await five('wrong');
    const refused = guesses.count(
      { user: ADA, factor: 'totp', action: { note } as never },
      async () => 'right',
    );
    await expect(refused).rejects.toMatchObject({ code: 42900, retryAfter: 1 });
  });

  it('of one account, or of a device that is being added, leave the others alone', async () => {
    await five('wrong');
    expect(await guess('right', { user: BOB })).toBe('right');
    expect(await five('wrong', { isNew: true })).toEqual(Array(5).fill(40113));
    expect([await guess('right', { isNew: true }), await guess('right')]).toEqual([42900, 42900]);
    await guesses.forget(ADA.userId);
    expect([await guess('right', { isNew: true }), await guess('right')]).toEqual(['right', 'right']);
  });

  it('do not count if they cannot be checked', async () => {
    expect(await five(new Error('the database is away'))).toEqual(Array(5).fill(undefined));
    await five('wrong');
    pass(1000);
    // The last one has closed the gate for two seconds, and opens it again.
    expect(await guess(new Error('the database is away'))).toBeUndefined();
    expect(await guess('right')).toBe('right');
  });

  it('count if a secret cannot be read', async () => {
    expect(await five('unreadable')).toEqual(Array(5).fill(50300));
    expect(await guess('unreadable')).toBe(42900);
  });

  it('are events if they are wrong', async () => {
    await guess('right');
    await guess('unreadable');
    await guess('wrong');
    expect(note.mock.calls).toEqual([
      [{ type: 'factor-failed', subjectId: 7, subject: 'ada', detail: 'totp', success: false }],
    ]);
  });
});

it('the guesses of an application without factors to guess need no counters', () => {
  const counters = { budget: jest.fn() };
  const without = { factors: [{ has: () => [] }] } as unknown as Ports;
  new FactorGuesses(counters as never, without).onModuleInit();
  expect(counters.budget).not.toHaveBeenCalled();
});
