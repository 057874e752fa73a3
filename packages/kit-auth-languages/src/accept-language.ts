const MAX_HEADER = 512;
const MAX_RANGES = 20;
/** Tags that are in use have less than half of this length. */
const MAX_TAG = 64;
/** A language range (RFC 4647, section 2.1) with its weight (RFC 9110, section 12.4.2). */
const RANGE =
  /^\s*(\*|[a-z]{1,8}(?:-[a-z\d]{1,8})*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** The part of a header that is read: at most 512 characters, without a range that would be cut. */
export function readPartOf(header: string): string {
  return header.length > MAX_HEADER ? header.slice(0, header.lastIndexOf(',', MAX_HEADER) + 1) : header;
}

/**
 * The best language for the header `Accept-Language`. Malformed ranges are ignored, and all after the
 * twentieth.
 *
 * @param header its `readPartOf()`
 * @param available the languages, by their tags in lower case
 * @param fallback for `*`
 * @returns undefined if none fits
 */
export function languageFor(
  header: string,
  available: ReadonlyMap<string, string>,
  fallback: string,
): string | undefined {
  const ranges = rangesOf(header);
  const excluded = ranges.filter(({ weight }) => weight === 0).map(({ range }) => range);
  const usable =
    excluded.length === 0 ? available : new Map([...available].filter(([tag]) => !excluded.includes(tag)));
  for (const { range } of ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)) {
    const found = range === '*' ? anyOf(usable, fallback) : lookUp(range, usable);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/**
 * Shortens a tag until there is such a language (RFC 4647, section 3.4): `zh-hant-tw`, `zh-hant`, `zh`.
 *
 * @param tag in lower case
 */
export function lookUp<T>(tag: string, available: ReadonlyMap<string, T>): T | undefined {
  for (let rest = tag; rest !== ''; rest = rest.replace(/(?:-[^-])?(?:^|-)[^-]+$/, '')) {
    const found = available.get(rest);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function rangesOf(header: string): { readonly range: string; readonly weight: number }[] {
  return header.split(',', MAX_RANGES).flatMap((part) => {
    const [, range, weight = '1'] = RANGE.exec(part) ?? [];
    return range === undefined ? [] : [{ range: range.toLowerCase(), weight: Number(weight) }];
  });
}

function anyOf(usable: ReadonlyMap<string, string>, fallback: string): string | undefined {
  return usable.get(fallback.toLowerCase()) ?? [...usable.values()][0];
}

/** True for a language tag that `Intl` can use. */
export function isTag(value: unknown): value is string {
  try {
    return (
      typeof value === 'string' && value.length <= MAX_TAG && Intl.getCanonicalLocales(value).length === 1
    );
  } catch {
    return false;
  }
}
