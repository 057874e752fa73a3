/** @returns a tag of BCP 47 in its usual spelling, such as `pt-BR` for `pt-br`; undefined for any other value */
export function canonicalTag(value: unknown): string | undefined {
  try {
    return typeof value === 'string' ? Intl.getCanonicalLocales(value)[0] : undefined;
  } catch {
    return undefined;
  }
}
