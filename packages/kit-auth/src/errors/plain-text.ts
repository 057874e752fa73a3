const MAX_TEXT = 255;

/**
 * Control characters, lone surrogates, line and paragraph separators, bidirectional embeddings, overrides and isolates:
 * what a log or a terminal would take for more than text. Other format characters stay. Some scripts and emoji need
 * joiners, and names may have them.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** A text as events keep it: at most 255 UTF-16 code units, with a `?` for each character that is not safe to print. */
export function plainText(text: string): string {
  return text.slice(0, MAX_TEXT).replace(UNSAFE, '?');
}
