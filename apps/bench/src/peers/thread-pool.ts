import { stat } from 'node:fs/promises';

let longest = 0;

/** Has libuv's thread pool do something small every 20 ms, and notes how long it takes. */
export function watchThreadPool(): void {
  longest = 0;
  setInterval(() => {
    const begin = performance.now();
    void stat('/').then(() => {
      longest = Math.max(longest, performance.now() - begin);
    });
  }, 20);
}

/** In milliseconds, since it began. */
export function longestWait(): number {
  return longest;
}
