import type { MemoryLogger } from './memory-logger.js';

/** What the log says where an answer came too late, or the product did not wait for one. */
const TOO_LATE = /gave no answer in|no turn in|are refused with 50300/;
const MOST = 50;

/**
 * The answers to requests that race. On a busy machine, a database answers some of them too late for the deadlines of the
 * product. Those get 50300, and are sent again. A database that fails for another reason, such as a deadlock, is an error.
 *
 * @param apps whose logs tell why there is a 50300
 */
export async function atOnce<T>(
  apps: readonly { readonly logs: MemoryLogger }[],
  count: number,
  send: (i: number) => Promise<T>,
): Promise<T[]> {
  const before = apps.map(({ logs }) => logs.ours().length);
  const failures = () =>
    apps.flatMap(({ logs }, i) =>
      logs
        .ours()
        .slice(before[i])
        .filter((line) => /\bfailed\b/.test(line) && !TOO_LATE.test(line)),
    );
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      for (let left = MOST; ; left--) {
        const answer = await send(i);
        if (!isUnavailable(answer) || left === 0) {
          return answer;
        }
        if (failures().length > 0) {
          throw new Error(`A request was answered with 50300:\n${failures().join('\n')}`);
        }
      }
    }),
  );
}

/** Whether an answer, or what a test calls its outcome, is 50300. */
function isUnavailable(answer: unknown): boolean {
  const { json } = Object(answer) as { json?: { code?: unknown } | null };
  return json?.code === 50300 || /^50300\b/.test(String(answer));
}
