import { setTimeout as sleep } from 'node:timers/promises'; // also while timers are faked

/** Waits for a condition. Gives up before the timeout of the test, so that nothing goes on after it. */
export async function until<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 100_000;
  for (;;) {
    const found = await find();
    if (found !== undefined) {
      return found;
    }
    if (performance.now() > end) {
      throw new Error(`Waited in vain for ${find.toString()}`);
    }
    await sleep(5);
  }
}
