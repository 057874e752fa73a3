import type { Type } from '@nestjs/common';
import type { LoginUser } from 'kit-auth';
import {
  choice,
  defineOptions,
  integer,
  Option,
  type OptionsOf,
  parseList,
  type ResolvedOptions,
  type SettingsOf,
  text,
  urlProblem,
} from 'kit-auth/extend';
import type { ExternalIdentity, ProviderTokens } from '../contract/external-identity.js';
import type { SignUpPolicy } from '../contract/sign-up-policy.js';
import type { OidcProvider } from '../contract/provider.options.js';
import { providersProblem } from './provider.problems.js';
import { returnToProblem } from './return-to.js';

/** See the option `onLogin`. */
export type OnExternalLogin = (
  identity: ExternalIdentity,
  tokens: ProviderTokens,
  user: LoginUser,
) => void | Promise<void>;

const MODES = ['off', 'open'];

export const oidcOptions = defineOptions(
  'kit.auth.oidc',
  {
    /**
     * The providers, such as `google({ clientId, clientSecret })`, or an `OidcProvider` of your own. Required.
     * @default none
     */
    providers: new Option<readonly OidcProvider[]>({ default: [], check: providersProblem }),
    /**
     * The URL of your API as browsers see it, such as `https://api.example.com`. Required.
     *
     * Enter the URL `<redirectBase>/v1/api/auth/oidc/<name>/callback` at each provider. http is accepted for localhost, and
     * never in production.
     * @default none
     */
    redirectBase: text({ check: redirectBaseProblem }),
    /**
     * Where logins may end: URLs of your own pages, and of your own apps. Required. The first one is the default.
     *
     * A URL of a page also allows the pages below it. A URL of an app, such as `com.example.app:/login`, must match exactly.
     * In the environment, URLs are separated by commas.
     * @default none
     */
    returnTo: new Option<readonly string[]>({ default: [], check: returnToProblem, parse: parseList }),
    /**
     * Who gets an account with an unknown identity: nobody (`'off'`), everybody with a verified address (`'open'`), or whom a
     * class of yours admits, a `SignUpPolicy`.
     * @default 'off'
     */
    signUp: new Option<'off' | 'open' | Type<SignUpPolicy>>({
      default: 'off',
      check: (value) =>
        MODES.includes(value as string) || typeof value === 'function'
          ? undefined
          : "must be 'off', 'open' or a class that implements SignUpPolicy",
      parse: (value) => value,
    }),
    /**
     * The roles of accounts that `signUp: 'open'` creates. Start-up fails if one grants `auth`, `auth:...`, or a permission that
     * begins with `*`.
     * @default none
     */
    roles: new Option<readonly string[]>({
      default: [],
      check: (value) =>
        Array.isArray(value) && value.every((role) => typeof role === 'string' && role.trim() !== '')
          ? undefined
          : 'must be a list of role codes',
      parse: parseList,
    }),
    /**
     * Whether users with a second factor are asked for it after a login with a provider.
     *
     * With `'trust'`, they are not asked if the ID token has an `acr` or `amr` of the provider's `mfa` list. The proof then has
     * the factor `mfa`, which counts as a second factor, also for `kit.auth.factors.requiredFor`.
     * @default 'ask'
     */
    secondFactor: choice(['ask', 'trust'], { default: 'ask' }),
    /**
     * How long a call to a provider may take in milliseconds, 100 to 60000. Then the login fails with 50300.
     * @default 5000
     */
    timeoutMs: integer({ min: 100, max: 60_000, default: 5000 }),
    /**
     * Called when a user logs in with a linked identity, and when one was linked on a page, for applications that call the API
     * of a provider.
     *
     * It may take 2 seconds. An error is logged, and changes nothing. It is not called after a sign-up, nor for a link of an app:
     * both are completed by a later request, and no token of a provider is stored until then.
     * @default none
     */
    onLogin: new Option<OnExternalLogin, OnExternalLogin | undefined>({
      check: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
    }),
  },
  {
    problems: ({ providers, redirectBase, returnTo }) => [
      ...(providers === undefined
        ? ['providers is missing: such as [google({ clientId, clientSecret })]']
        : []),
      ...(redirectBase === undefined
        ? ['redirectBase is missing: the URL of your API, such as https://api.example.com']
        : []),
      ...(returnTo === undefined
        ? ['returnTo is missing: the URLs of your pages, such as [https://app.example.com/login]']
        : []),
    ],
  },
);

/** The argument of `KitAuthOidcModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthOidcOptions extends OptionsOf<typeof oidcOptions> {}
export type OidcSettings = SettingsOf<typeof oidcOptions>;
export type ResolvedOidcOptions = ResolvedOptions<OidcSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthOidcModule`, which its `forRoot()` overrides key by key. */
    oidc?: KitAuthOidcOptions | undefined;
  }
}

/** A class for `KitAuthOidcModule.forRootAsync({ useClass })` or `useExisting`. */
export interface KitAuthOidcOptionsFactory {
  create(): KitAuthOidcOptions | Promise<KitAuthOidcOptions>;
}

function redirectBaseProblem(value: string): string | undefined {
  return (
    urlProblem(value) ?? (/[?]|\/$/.test(value) ? 'must not have a query, or end with a slash' : undefined)
  );
}
