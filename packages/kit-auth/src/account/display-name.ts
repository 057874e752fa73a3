/**
 * Whether a string can be a display name: no control characters, no spaces at either end, and at least one visible
 * character.
 */
export function isDisplayName(text: unknown, maxLength: number): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    text.length <= maxLength &&
    text === text.trim() &&
    text.isWellFormed() &&
    // Other format characters are allowed: some scripts and emoji need joiners.
    !/[\p{Cc}\p{Cn}\p{Co}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text) &&
    /[^\p{C}\p{Z}\p{M}]/u.test(text)
  );
}
