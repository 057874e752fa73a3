import { defineOptions, Option, type OptionsOf, type SettingsOf } from 'kit-auth/feature';
import { originsProblem } from './origins.js';

const WEB_SCHEMES = ['https', 'http'];

export const browserOptions = defineOptions(
  'kit.auth.browser',
  {
    /**
     * Origins besides the application's own whose pages may use its cookies, for example `['https://app.example']`.
     *
     * In the environment, origins are separated by commas.
     * @default none
     */
    origins: new Option<readonly string[]>({
      default: [],
      check: (value) => originsProblem(value, WEB_SCHEMES),
      parse: Option.parseList,
    }),
    /**
     * Origins of pages that cannot use cookies, such as web views. They get tokens in bodies.
     *
     * In the environment, origins are separated by commas.
     * @default none
     */
    bodyOrigins: new Option<readonly string[]>({
      default: [],
      check: (value) => originsProblem(value),
      parse: Option.parseList,
    }),
    /**
     * `'lax'` or `'strict'`. With `'strict'`, users who follow a link from another site appear logged out.
     * @default 'lax'
     */
    sameSite: new Option<'lax' | 'strict'>({
      default: 'lax',
      check: sameSiteProblem,
      parse: (value) => value,
    }),
    /**
     * Name of the cookies, after `__Host-`. Applications on the same host need different names.
     * @default 'kit-auth'
     */
    name: Option.text({ default: 'kit-auth', check: nameProblem }),
    /**
     * For development: cookies without `Secure` on `localhost`, `127.0.0.1` and `[::1]`, where there is no TLS.
     * @default false
     */
    insecureLocalhost: Option.flag({ default: false }),
  },
  {
    problems: ({ origins = [], bodyOrigins = [], insecureLocalhost }) => [
      ...(Array.isArray(bodyOrigins) &&
      bodyOrigins.some((origin) => Array.isArray(origins) && origins.includes(origin))
        ? ['bodyOrigins has an origin that origins has too: its pages get either cookies or bodies']
        : []),
      ...(insecureLocalhost === true && process.env['NODE_ENV'] === 'production'
        ? ['insecureLocalhost must not be true with NODE_ENV=production: it is for development']
        : []),
    ],
  },
);

/** The argument of `KitAuthBrowserModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthBrowserOptions extends OptionsOf<typeof browserOptions> {}
export type BrowserSettings = SettingsOf<typeof browserOptions>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthBrowserModule`, which its `forRoot()` overrides key by key. */
    browser?: KitAuthBrowserOptions | undefined;
  }
}

function sameSiteProblem(value: unknown): string | undefined {
  if (value === 'none') {
    return (
      "must be 'lax' or 'strict'. With 'none', browsers send the cookies with requests of every site, or block them. " +
      'Name pages of another site in bodyOrigins'
    );
  }
  return value === 'lax' || value === 'strict' ? undefined : "must be 'lax' or 'strict'";
}

function nameProblem(name: string): string | undefined {
  if (!/^[\w-]{1,64}$/.test(name)) {
    return 'must be 1 to 64 letters, digits, "_" or "-"';
  }
  return /^__(host|secure)-/i.test(name) ? 'must not have a prefix: "__Host-" is added' : undefined;
}
