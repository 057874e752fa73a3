/** Describes a thrown value in one line, for a log. */
export function describeError(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return text.replace(/\p{Cc}+/gu, ' ');
}
