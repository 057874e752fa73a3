import { afterEach, beforeEach, jest } from '@jest/globals';

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

/** Whether a test runs, or its `beforeEach`, and whether it has frozen the date. */
let isInTest = false;
let isFrozen = false;

beforeEach(() => {
  isInTest = true;
});
afterEach(() => {
  isInTest = false;
  if (isFrozen) {
    isFrozen = false;
    jest.useRealTimers();
  }
});

/**
 * Freezes the date until the end of the test, or until `jest.useRealTimers()`; timers run on.
 *
 * @returns a function that moves the date by so many milliseconds
 */
export function freezeDate(now: number = Date.now()): (milliseconds: number) => void {
  isFrozen = isInTest;
  jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE], now });
  return (milliseconds) => jest.setSystemTime(Date.now() + milliseconds);
}

/**
 * Freezes the date and every `setTimeout()` until the end of the test, or until `jest.useRealTimers()`.
 *
 * @returns a function that lets so many milliseconds pass
 */
export function holdTimeouts(now: number = Date.now()): (milliseconds: number) => void {
  const rest = ALL_BUT_DATE.filter((name) => name !== 'setTimeout' && name !== 'clearTimeout');
  isFrozen = isInTest;
  jest.useFakeTimers({ doNotFake: rest, now });
  return (milliseconds) => jest.advanceTimersByTime(milliseconds);
}
