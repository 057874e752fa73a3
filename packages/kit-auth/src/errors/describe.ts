import { types } from 'node:util';
import { isPromiseLike } from './maybe-promise.js';

/** Errors that programming mistakes throw. Outages throw other errors, for every request. */
const MISTAKES = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError']);

/** Describes a thrown value in one line, for a log. */
export function describeError(thrown: unknown): string {
  const text = isError(thrown) ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** The location of a programming mistake, for the second argument of `logger.error()`. Undefined for other errors. */
export function stackOf(thrown: unknown): [stack?: string] {
  if (!isError(thrown) || !MISTAKES.has(thrown.name)) {
    return [];
  }
  // Without the message, which `describeError` contains already.
  const calls = thrown.stack?.split('\n').filter((line) => /^ +at \S/.test(line)) ?? [];
  return [[thrown.name, ...calls].join('\n')];
}

function isError(thrown: unknown): thrown is Error {
  // The second check also accepts errors of Node when Jest runs this code, which has an `Error` of its own.
  return thrown instanceof Error || types.isNativeError(thrown);
}

/** Names the type of a value, for messages that must not contain the value itself. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return String(value);
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return isPromiseLike(value) ? 'a promise' : 'an object';
  }
  return `a ${typeof value}`;
}

const MAX_TEXT = 255;

/**
 * Control characters, lone surrogates, line and paragraph separators, bidirectional embeddings, overrides and isolates:
 * characters that a log or a terminal could interpret. Other format characters are kept, because some scripts and emoji
 * need them.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a string safe for logs and events: at most 255 UTF-16 code units, with `?` for each unsafe character. */
export function plainText(text: string): string {
  return text.slice(0, MAX_TEXT).replace(UNSAFE, '?');
}
