const MAX_LENGTH = 64;

/** Whether a value is a language tag that `Intl` can use. Those that are in use have less than half of the length. */
export function isTag(value: unknown): value is string {
  try {
    return (
      typeof value === 'string' && value.length <= MAX_LENGTH && Intl.getCanonicalLocales(value).length === 1
    );
  } catch {
    return false;
  }
}
