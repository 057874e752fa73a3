import { setTimeout } from 'node:timers/promises';
import { jwt } from '../measure/tokens.js';

export const MILLION = 1_000_000;

/** As busy as the other, and nothing to remember: a process that was idle is smaller than any that was not. */
export async function forgetAMillion(): Promise<void> {
  for (let number = 0; number < MILLION; number++) {
    jwt(number);
  }
  await settle();
}

/** Gives V8 the time to give back what it has no use for. */
export async function settle(): Promise<void> {
  for (let time = 0; time < 4; time++) {
    globalThis.gc?.();
    await setTimeout(500);
  }
}
