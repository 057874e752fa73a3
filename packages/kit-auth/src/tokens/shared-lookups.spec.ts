import { describe, expect, it } from '@jest/globals';
import { ClientLeftException } from '../errors/auth.exception.js';
import { SharedLookups } from './shared-lookups.js';

describe('SharedLookups', () => {
  it('answers every question with a look-up that began later, and shares the look-ups', async () => {
    const found: ((value: number) => void)[] = [];
    const lookups = new SharedLookups<number>(() => new Promise((resolve) => found.push(resolve)));
    const first = lookups.ask('a');
    const later = [lookups.ask('a'), lookups.ask('a')];
    expect(found).toHaveLength(1);
    found[0]?.(1);
    expect(await first).toBe(1);
    expect(found).toHaveLength(2);
    found[1]?.(2);
    expect(await Promise.all(later)).toEqual([2, 2]);
    const last = lookups.ask('a');
    expect(found).toHaveLength(3);
    found[2]?.(3);
    expect(await last).toBe(3);
  });

  it('keeps keys apart', async () => {
    const asked: string[] = [];
    const lookups = new SharedLookups(async (key) => asked.push(key));
    await Promise.all([lookups.ask('a'), lookups.ask('b')]);
    expect(asked).toEqual(['a', 'b']);
  });

  it('asks again for those whose clients have not left', async () => {
    const asked: ((error?: Error) => void)[] = [];
    const lookups = new SharedLookups<number>(
      () =>
        new Promise((resolve, reject) =>
          asked.push((error) => (error ? reject(error) : resolve(asked.length))),
        ),
    );
    const answers = [lookups.ask('a'), lookups.ask('a'), lookups.ask('a')];
    asked[0]?.(new ClientLeftException());
    while (asked.length < 2) {
      await Promise.resolve();
    }
    asked[1]?.();
    await expect(answers[0]).resolves.toBe(2);
    while (asked.length < 3) {
      await Promise.resolve();
    }
    asked[2]?.();
    expect(await Promise.all(answers)).toEqual([2, 3, 3]);
  });

  it('passes a failure on to those who wait, and tries again for the next one', async () => {
    let isBroken = true;
    const lookups = new SharedLookups(async () => {
      await Promise.resolve();
      if (isBroken) {
        throw new Error('broken');
      }
      return 1;
    });
    const outcomes = await Promise.allSettled([lookups.ask('a'), lookups.ask('a'), lookups.ask('a')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    isBroken = false;
    expect(await lookups.ask('a')).toBe(1);
  });
});
