import { isPromiseLike } from './promise-like.js';

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
