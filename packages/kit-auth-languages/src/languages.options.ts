import type { LoginUser, TransportRequest } from 'kit-auth';
import {
  defineOptions,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import { isObject } from 'kit-auth/tools';
import { de, en } from './catalogs.js';
import type { Catalog } from './client.js';
import { catalogProblems } from './catalog.problems.js';
import { isTag } from './accept-language.js';

const CATALOGS: Readonly<Record<string, Catalog>> = { en, de };

/** Where the language of a request comes from. */
type LanguageSource =
  'accept-language' | ((request: TransportRequest, user: LoginUser | undefined) => string | undefined);

export const languagesOptions = defineOptions(
  'kit.auth.languages',
  {
    /**
     * The catalogs by language tag, such as `{ en, de: { ...de, '40110': '...' } }`. A catalog lacks what it leaves out, but
     * `de-AT` also has the sentences of `de`.
     * @default the catalogs `en` and `de` of the package
     */
    languages: new Option<Readonly<Record<string, Catalog>>>({
      default: CATALOGS,
      check: languagesProblem,
    }),
    /**
     * The language of requests for which no other fits, and of sentences that the other catalogs lack. Its own catalog must be
     * complete.
     * @default 'en'
     */
    fallback: Option.text({ default: 'en' }),
    /**
     * `'accept-language'`, or a function that returns the language tag of a request. It gets the request and its `LoginUser`,
     * and must not return a promise. The header `Accept-Language` counts where it returns undefined.
     * @default 'accept-language'
     */
    from: new Option<LanguageSource>({ default: 'accept-language', check: sourceProblem }),
    /**
     * Whether the sentence replaces the `message` of errors, instead of being their `text`. For clients that show the
     * `message` already.
     * @default false
     */
    replaceMessage: Option.flag({ default: false }),
  },
  { problems: ({ languages, fallback }) => languageProblems(languages, fallback) },
);

/** The argument of `KitAuthLanguagesModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthLanguagesOptions extends OptionsOf<typeof languagesOptions> {}
export type LanguagesSettings = SettingsOf<typeof languagesOptions>;
export type ResolvedLanguagesOptions = ResolvedOptions<LanguagesSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthLanguagesModule`, which its `forRoot()` overrides key by key. */
    languages?: KitAuthLanguagesOptions | undefined;
  }
}

function languagesProblem(value: unknown): string | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) {
    return 'must be an object with a catalog for each language, such as { en, de }';
  }
  return Object.keys(value).every((tag) => isTag(tag) && Intl.getCanonicalLocales(tag)[0] === tag)
    ? undefined
    : "must have language tags in their usual spelling as keys, such as 'de', 'de-AT' or 'zh-Hant'";
}

function sourceProblem(value: unknown): string | undefined {
  return value === 'accept-language' || typeof value === 'function'
    ? undefined
    : "must be 'accept-language' or a function";
}

/** About the catalogs, and the one that is the fallback. */
function languageProblems(languages: unknown = CATALOGS, fallback: unknown = 'en'): string[] {
  if (languagesProblem(languages) !== undefined) {
    return [];
  }
  const catalogs = Object.entries(languages as object);
  const problems = catalogs.flatMap(([tag, catalog]) =>
    catalogProblems(tag, catalog).map((problem) => `languages.${tag} ${problem}`),
  );
  if (typeof fallback === 'string' && !catalogs.some(([tag]) => tag === fallback)) {
    problems.push('fallback must be one of the languages: add its catalog to kit.auth.languages.languages');
  }
  return problems;
}
