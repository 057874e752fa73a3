import { DeadlineExceeded } from '../errors/deadline.js';

type Callback = (...args: unknown[]) => unknown;

/**
 * Calls a function that calls others back. Rejects when it takes too long itself: while something that it has called back
 * runs, the time stands still.
 *
 * @param args functions among them are what it calls back
 */
export async function withinOwnTime(
  milliseconds: number,
  args: readonly unknown[],
  call: (args: unknown[]) => unknown,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  let expire = (): void => undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    expire = () => reject(new DeadlineExceeded(`it gave no answer in ${milliseconds} ms`));
  });
  const stop = () => clearTimeout(timer);
  const start = () => {
    if (!hasEnded) {
      timer = setTimeout(expire, milliseconds);
    }
  };
  const withoutTime =
    (callback: Callback): Callback =>
    async (...inner) => {
      stop();
      try {
        return await callback(...inner);
      } finally {
        start();
      }
    };
  start();
  try {
    const counted = args.map((it) => (typeof it === 'function' ? withoutTime(it as Callback) : it));
    return await Promise.race([call(counted), expired]);
  } finally {
    hasEnded = true;
    stop();
  }
}
