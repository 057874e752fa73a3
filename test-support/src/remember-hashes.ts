import { setTimeout as wait } from 'node:timers/promises';
import bcrypt from 'bcrypt';

/**
 * Import this in a file that spends most of its time on hashes it has computed before: each is computed once. Later
 * calls still wait a few milliseconds without using the processor, so that requests overlap as in production.
 */
bcrypt.hash = remembering(bcrypt.hash.bind(bcrypt));
bcrypt.compare = remembering(bcrypt.compare.bind(bcrypt));

function remembering<T extends (...args: never[]) => unknown>(compute: T): T {
  const results = new Map<string, unknown>();
  return (async (...args: Parameters<T>) => {
    const key = JSON.stringify(args);
    if (results.has(key)) {
      await wait(5);
    } else {
      results.set(key, compute(...args));
    }
    return results.get(key);
  }) as unknown as T;
}
