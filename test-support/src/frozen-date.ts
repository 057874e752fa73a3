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
