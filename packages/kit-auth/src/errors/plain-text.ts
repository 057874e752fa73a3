const MAX_TEXT = 255;

/**
 * Control characters, lone surrogates, line and paragraph separators, bidirectional embeddings, overrides and isolates:
 * characters that a log or a terminal could interpret. Other format characters are kept, because some scripts and emoji
 * need them.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a text safe for logs and events: at most 255 UTF-16 code units, with `?` for each unsafe character. */
export function plainText(text: string): string {
  return text.slice(0, MAX_TEXT).replace(UNSAFE, '?');
}
