import {
  defineOptions,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import { type ConsoleCatalog, languagesProblem, OWN_LANGUAGES } from './catalogs.js';

const MAX_TITLE_LENGTH = 60;
const SEGMENTS = /^(?:\/[\w-]+)+$/;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

export const consoleOptions = defineOptions('kit.auth.console', {
  /**
   * Path of the page, behind the global prefix. Segments of letters, digits, `_` and `-`.
   * @default '/auth-console'
   */
  path: Option.text({ default: '/auth-console', check: pathProblem }),
  /**
   * Title of the page, 1 to 60 characters.
   * @default 'Administration'
   */
  title: Option.text({ default: 'Administration', check: titleProblem }),
  /**
   * Languages of the page: `'en'`, `'de'`, and catalogs of your own. The browser decides which of them is shown, until the
   * user chooses one. The first one is for browsers that want none of them.
   *
   * The environment variable separates languages by commas, and cannot set catalogs.
   * @default ['en', 'de']
   */
  languages: new Option<readonly (string | ConsoleCatalog)[]>({
    default: OWN_LANGUAGES,
    check: languagesProblem,
    parse: Option.parseList,
  }),
  /**
   * Target of the link "Back to the application": a path of the same origin.
   * @default '/'
   */
  home: Option.text({ default: '/', check: homeProblem }),
  /**
   * Requires a login with a second factor: `GET console` answers others with 40303. Needs
   * `kit-auth-factors` or `kit-auth-passkeys`. `true` is advised.
   *
   * It hides the page, and does not protect the endpoints. `requiredFor` of `kit-auth-factors` does, for all routes.
   * @default false
   */
  requireSecondFactor: Option.flag({ default: false }),
});

/** The argument of `KitAuthConsoleModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthConsoleOptions extends OptionsOf<typeof consoleOptions> {}
export type ConsoleSettings = SettingsOf<typeof consoleOptions>;
export type ResolvedConsoleOptions = ResolvedOptions<ConsoleSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthConsoleModule`, which its `forRoot()` overrides key by key. */
    console?: KitAuthConsoleOptions | undefined;
  }
}

function pathProblem(path: string): string | undefined {
  if (!SEGMENTS.test(path)) {
    return 'must be a path such as /auth-console: segments of letters, digits, "_" and "-", without a slash at the end';
  }
  return /^\/v1(?:\/|$)/i.test(path) ? 'must not begin with /v1, where the endpoints are' : undefined;
}

function titleProblem(title: string): string | undefined {
  const isPlain = Array.from(title).length <= MAX_TITLE_LENGTH && !INVISIBLE.test(title);
  return isPlain ? undefined : `must be 1 to ${MAX_TITLE_LENGTH} characters without control characters`;
}

/** Browsers read a backslash as a slash, and leave out tabs and line breaks. */
function homeProblem(home: string): string | undefined {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(home)
    ? undefined
    : 'must be a path of the same origin, such as /start: one slash, then ASCII without spaces';
}
