/** One line of text for a log, whatever was thrown and whatever its message holds. */
export function describeError(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return text.replace(/\p{Cc}+/gu, ' ');
}
