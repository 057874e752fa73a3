/** A sentence with a form for each plural category of its language: `one` and `other`, for example. */
export interface PluralSentence {
  readonly zero?: string;
  readonly one?: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
  readonly other: string;
}

/**
 * The sentences of one language by code (`40101`), or by code and reason (`40101.idle`), and names such as `factor.totp`. Of a
 * list, the first sentence is used whose placeholders the error has values for.
 */
export type Catalog = Readonly<Record<string, string | PluralSentence | readonly string[]>>;

/** Input of a sentence. An error body fits. */
export interface TranslatedError {
  readonly code?: number | undefined;
  readonly reason?: string | undefined;
  /** Names that the catalog lacks are left out. */
  readonly missing?: readonly string[] | undefined;
  /** The number of the header `Retry-After`, in seconds. */
  readonly retryAfter?: number | undefined;
  /** ISO 8601. */
  readonly expiresAt?: string | undefined;
  readonly count?: number | undefined;
  readonly message?: string | undefined;
  readonly text?: string | undefined;
  /** The language of `text`. */
  readonly language?: string | undefined;
}

interface Page {
  readonly document?: { readonly documentElement: { readonly lang: string } };
}

/**
 * Translates errors in a page: `translator(catalog)(error)` is the sentence of the answer if it is in the language of the page,
 * otherwise the one of the catalog, and without one there, the sentence or the `message` of the answer.
 *
 * @param catalog such as `kit-auth-languages/de.json`
 * @param language of the catalog. Default: the `lang` of the page
 * @example
 * ```ts
 * import de from 'kit-auth-languages/de.json' with { type: 'json' };
 * import { translator } from 'kit-auth-languages/client';
 *
 * const translated = translator(de, 'de');
 * const response = await fetch('/v1/api/auth/me');
 * if (!response.ok) {
 *   show(translated(await response.json()));
 * }
 * ```
 */
export function translator(
  catalog: Catalog,
  language: string | undefined = (globalThis as Page).document?.documentElement.lang || undefined,
): (error: TranslatedError) => string {
  const sentence = sentences(catalog, language);
  return (error) =>
    (error.language === language && error.text) || sentence(error) || error.text || error.message || '';
}

/**
 * The sentences of a catalog. A sentence with a placeholder that the error has no value for is not used. The next one of its
 * list takes its place, then the sentence of the code without the reason.
 *
 * @param timeZone of times. Default: that of the browser or the process
 * @returns a function that returns undefined if there is no sentence
 */
export function sentences(
  catalog: Catalog,
  language?: string,
  timeZone?: string,
): (error: TranslatedError) => string | undefined {
  const plurals = new Intl.PluralRules(language);
  const list = new Intl.ListFormat(language, { type: 'disjunction' }); // one of them is enough
  const time = new Intl.DateTimeFormat(language, { timeZone, dateStyle: 'long', timeStyle: 'long' });
  const numbers: Partial<Record<string, Intl.NumberFormat>> = {};
  const numberOf = (count = NaN, unit = '') =>
    Number.isFinite(count) &&
    (numbers[unit] ??= new Intl.NumberFormat(
      language,
      unit ? { style: 'unit', unit, unitDisplay: 'long' } : {},
    )).format(count);
  const values: Record<string, (error: TranslatedError) => string | false> = {
    duration: ({ retryAfter = NaN }) => {
      const [size, unit] =
        retryAfter > 3600
          ? ([3600, 'hour'] as const)
          : retryAfter > 60
            ? ([60, 'minute'] as const)
            : ([1, 'second'] as const);
      return numberOf(Math.ceil(retryAfter / size), unit); // an attempt that comes too early is refused again
    },
    time: ({ expiresAt = '' }) => {
      const at = Date.parse(expiresAt);
      return at > 0 && time.format(at);
    },
    count: ({ count }) => numberOf(count),
    missing: ({ missing = [] }) =>
      list.format(
        missing.flatMap((name) => (catalog[`factor.${name}`] ?? catalog[`role.${name}`] ?? []) as string),
      ),
  };
  const fill = (key: string, error: TranslatedError): string | undefined =>
    [catalog[key] ?? []].flat().flatMap((entry) => {
      const form =
        typeof entry === 'string' ? entry : (entry[plurals.select(error.count as number)] ?? entry.other);
      const text = form.replace(/\{(\w+)\}/g, (_, name: string) => values[name]?.(error) || '{');
      return text.includes('{') ? [] : text;
    })[0];
  return (error) => fill(`${error.code}.${error.reason}`, error) ?? fill(`${error.code}`, error);
}
