import { jest } from '@jest/globals';

/** For `jest.useFakeTimers({ doNotFake })`: freezes the date and lets every timer run. */
export const ALL_BUT_DATE = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/**
 * Freezes the date until `jest.useRealTimers()`; timers run on.
 *
 * @returns a function that moves the date by so many milliseconds
 */
export function freezeDate(now: number = Date.now()): (milliseconds: number) => void {
  jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE], now });
  return (milliseconds) => jest.setSystemTime(Date.now() + milliseconds);
}

/**
 * Freezes the date and every `setTimeout()` until `jest.useRealTimers()`.
 *
 * @returns a function that lets so many milliseconds pass
 */
export function holdTimeouts(now: number = Date.now()): (milliseconds: number) => void {
  const rest = ALL_BUT_DATE.filter((name) => name !== 'setTimeout' && name !== 'clearTimeout');
  jest.useFakeTimers({ doNotFake: rest, now });
  return (milliseconds) => jest.advanceTimersByTime(milliseconds);
}
