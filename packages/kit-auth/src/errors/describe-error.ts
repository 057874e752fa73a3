import { types } from 'node:util';

/** Describes a thrown value in one line, for a log. */
export function describeError(thrown: unknown): string {
  // The second check also accepts errors of Node when Jest runs this code, which has an `Error` of its own.
  const text =
    thrown instanceof Error || types.isNativeError(thrown)
      ? `${thrown.name}: ${thrown.message}`
      : typeof thrown;
  return text.replace(/\p{Cc}+/gu, ' ');
}
