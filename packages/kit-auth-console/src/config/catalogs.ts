import { isObject } from 'kit-auth/tools';

/** A text, or one for each plural category of `Intl.PluralRules`. */
export type PageText = string | Readonly<Record<string, string>>;

/**
 * The texts of the page in one more language: the members of the file `page/languages/en.json` of the package, and these.
 */
export interface ConsoleCatalog {
  /** BCP 47 tag, for example `fr` or `pt-BR`. */
  readonly $tag: string;
  /** @defaultValue `'ltr'` */
  readonly $direction?: 'ltr' | 'rtl';
  /** A catalog of `kit-auth-languages`, for errors. What it lacks is in English. */
  readonly $errors?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

/** The languages whose catalogs are in the package. */
export const OWN_LANGUAGES: readonly string[] = ['en', 'de'];

/** The rest of the message about the option, or undefined. */
export function languagesProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    return `must be a list of languages: ${named(OWN_LANGUAGES)}, or catalogs`;
  }
  for (const [i, entry] of (value as unknown[]).entries()) {
    const problem = entryProblem(entry);
    if (problem !== undefined) {
      return `has at position ${i + 1} ${problem}`;
    }
  }
  const tags = (value as (string | ConsoleCatalog)[]).map(tagOf);
  return new Set(tags).size === tags.length ? undefined : 'has a language twice';
}

export function tagOf(language: string | ConsoleCatalog): string {
  return typeof language === 'string' ? language : language.$tag;
}

function entryProblem(entry: unknown): string | undefined {
  if (typeof entry === 'string') {
    return OWN_LANGUAGES.includes(entry)
      ? undefined
      : `a language that the package does not have. It has ${named(OWN_LANGUAGES)}; pass others as catalogs`;
  }
  if (!isObject(entry)) {
    return 'neither a language nor a catalog';
  }
  const { $tag, $direction = 'ltr', $errors = {} } = entry;
  if (!isTag($tag)) {
    return 'a catalog without a $tag such as "fr" or "pt-BR"';
  }
  if ($direction !== 'ltr' && $direction !== 'rtl') {
    return 'a catalog whose $direction is neither "ltr" nor "rtl"';
  }
  return isObject($errors) ? undefined : 'a catalog whose $errors is no catalog of kit-auth-languages';
}

/** Browsers throw for others. */
function isTag(value: unknown): value is string {
  try {
    return typeof value === 'string' && Intl.getCanonicalLocales(value)[0] === value;
  } catch {
    return false;
  }
}

function named(languages: readonly string[]): string {
  return languages.map((language) => `'${language}'`).join(' and ');
}
