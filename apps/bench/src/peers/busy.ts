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

/**
 * Has V8 give back the memory that it does not use. Node 24 keeps the pages of collected objects, hundreds of megabytes
 * after this much garbage, until memory is scarce. Garbage collection as a last resort is what V8 does then.
 */
export async function settle(): Promise<void> {
  for (let time = 0; time < 4; time++) {
    globalThis.gc?.();
    await setTimeout(500);
  }
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
  await setTimeout(500);
}
