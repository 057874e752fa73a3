import { nearest } from 'kit-auth/cli';

/** A sentence with the candidate that a word was probably meant to be, and a space before it. Empty if there is none. */
export function didYouMean(word: string, candidates: readonly string[], quote = ''): string {
  const found = nearest(
    keyOf(word),
    candidates.map((candidate) => keyOf(candidate)),
  );
  const candidate = candidates.find((it) => keyOf(it) === found);
  return candidate === undefined ? '' : ` Did you mean ${quote}${candidate}${quote}?`;
}

/** Words as `nearest()` expects them. */
function keyOf(words: string): string {
  return `_${words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_')}`;
}
