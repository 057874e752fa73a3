import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PeriodicCleaner } from './periodic.cleaner.js';

const MINUTE_MS = 60_000;

let warn: jest.SpiedFunction<Logger['warn']>;
beforeEach(() => {
  jest.useFakeTimers();
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** A cleaner with this many batches to delete. */
function cleanerOf(batches: number) {
  const left = { batches, calls: 0 };
  const cleaner = new PeriodicCleaner('old things', async () => {
    left.calls++;
    return left.batches-- > 0 ? 1 : 0;
  });
  return { cleaner, left };
}

describe('PeriodicCleaner', () => {
  it.each([
    [1, 1],
    [1, 45],
    [2, 77],
  ])('runs %d times in %d minutes', async (times, minutes) => {
    const { cleaner, left } = cleanerOf(0);
    cleaner.start();
    await jest.advanceTimersByTimeAsync(minutes * MINUTE_MS);
    expect(left.calls).toBe(times);
  });

  it('spreads its first run and its intervals', async () => {
    const runs = async (random: number, milliseconds: number) => {
      jest.spyOn(Math, 'random').mockReturnValue(random);
      const { cleaner, left } = cleanerOf(0);
      cleaner.start();
      await jest.advanceTimersByTimeAsync(milliseconds);
      cleaner.stop();
      return left.calls;
    };
    expect(await runs(0, 0)).toBe(1);
    expect(await runs(0.5, 30_000 - 1)).toBe(0);
    expect(await runs(0.5, 30_000)).toBe(1);
    expect(await runs(0, 45 * MINUTE_MS)).toBe(2);
    expect(await runs(0.999, 75 * MINUTE_MS)).toBe(1);
  });

  it('deletes batches until none is left', async () => {
    const { cleaner, left } = cleanerOf(3);
    await cleaner.clean();
    expect(left.calls).toBe(4);
  });

  it('does not keep the process alive', () => {
    jest.useRealTimers();
    const setTimeout = jest.spyOn(global, 'setTimeout');
    const { cleaner } = cleanerOf(0);
    cleaner.start();
    expect((setTimeout.mock.results[0]?.value as NodeJS.Timeout).hasRef()).toBe(false);
    cleaner.stop();
  });

  it('ends a run after its current batch when it is stopped', async () => {
    const { cleaner, left } = cleanerOf(Infinity);
    const cleaning = cleaner.clean();
    cleaner.stop();
    await cleaning;
    expect(left.calls).toBe(1);
  });

  it('starts no run once it is stopped', async () => {
    const { cleaner, left } = cleanerOf(0);
    cleaner.start();
    cleaner.stop();
    await jest.advanceTimersByTimeAsync(200 * MINUTE_MS);
    expect(left.calls).toBe(0);
  });

  it('warns of a failure, and tries again', async () => {
    let calls = 0;
    const cleaner = new PeriodicCleaner('old things', () => {
      calls++;
      throw new Error('no such table');
    });
    cleaner.start();
    await jest.advanceTimersByTimeAsync(77 * MINUTE_MS);
    expect(calls).toBe(2);
    expect(warn).toHaveBeenCalledWith('[auth] cleaning up old things failed: Error: no such table');
  });
});
