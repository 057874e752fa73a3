import { types } from 'node:util';

/** What a mistake in code throws. An outage throws others, with every request. */
const MISTAKES = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError']);

/** Describes a thrown value in one line, for a log. */
export function describeError(thrown: unknown): string {
  const text = isError(thrown) ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** Where a mistake in code is, as the second argument of `logger.error()`. Nothing for other errors. */
export function stackOf(thrown: unknown): [stack?: string] {
  if (!isError(thrown) || !MISTAKES.has(thrown.name)) {
    return [];
  }
  // Without the message, which `describeError` has made one line of.
  const calls = thrown.stack?.split('\n').filter((line) => /^ +at \S/.test(line)) ?? [];
  return [[thrown.name, ...calls].join('\n')];
}

function isError(thrown: unknown): thrown is Error {
  // The second check also accepts errors of Node when Jest runs this code, which has an `Error` of its own.
  return thrown instanceof Error || types.isNativeError(thrown);
}
