import type { Type } from '@nestjs/common';
import type { LoginUser } from 'kit-auth';
import {
  Option,
  defineOptions,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import { urlProblem } from 'kit-auth/tools';
import type { ExternalIdentity, ProviderTokens } from './providers/external-identity.js';
import type { OidcProvider } from './providers/provider.options.js';
import { providersProblem } from './providers/provider.problems.js';
import { returnToProblem } from './start/return-to.js';

/** The roles and the name of a new account. */
export interface SignUp {
  /** Codes of roles. A role with permissions under `auth:` is refused. Default: none. */
  readonly roles?: readonly string[] | undefined;
  /** The display name, unless the user chooses one. Default: the name at the provider, or the local part of the address. */
  readonly nickname?: string | undefined;
}

/**
 * Decides about sign-ups of unknown identities. Their addresses are verified. Add the class to the providers of a module.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class StaffOnly implements SignUpPolicy {
 *   decide({ address }: ExternalIdentity): SignUp | undefined {
 *     return address?.endsWith('@example.com') === true ? { roles: ['STAFF'] } : undefined;
 *   }
 * }
 *
 * KitAuthOidcModule.forRoot({ signUp: StaffOnly, ... });
 * ```
 */
export interface SignUpPolicy {
  /**
   * Called when the user comes back from the provider. The user has ten minutes to create the account. An error is answered
   * with 50300.
   *
   * @returns `undefined` to refuse
   */
  decide(identity: ExternalIdentity): SignUp | undefined | Promise<SignUp | undefined>;
}

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
     * The providers: `google({ clientId, clientSecret })`, for example, or your own `OidcProvider`. Required.
     * @default none
     */
    providers: new Option<readonly OidcProvider[]>({ default: [], check: providersProblem }),
    /**
     * The URL of your API as browsers see it, for example `https://api.example.com`. Required.
     *
     * Enter the URL `<redirectBase>/v1/api/auth/oidc/<name>/callback` at each provider. http is accepted for localhost, and
     * never in production.
     * @default none
     */
    redirectBase: Option.text({ check: redirectBaseProblem }),
    /**
     * The URLs of your pages and apps where logins may end. Required. The first one is the default.
     *
     * A URL of a page also allows the pages below it. The URL of an app, for example `com.example.app:/login`, must match exactly.
     * In the environment, URLs are separated by commas.
     * @default none
     */
    returnTo: new Option<readonly string[]>({ default: [], check: returnToProblem, parse: Option.parseList }),
    /**
     * Sign-up of unknown identities: `'off'`, `'open'` (verified address required), or your `SignUpPolicy`.
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
      parse: Option.parseList,
    }),
    /**
     * Whether users with a second factor must show it after a login with a provider.
     *
     * With `'trust'`, they need not if the ID token has an `acr` or `amr` of the provider's `mfa` list. The proof then has the
     * factor `mfa`. It counts as a second factor, also for `kit.auth.factors.requiredFor`.
     * @default 'ask'
     */
    secondFactor: Option.choice(['ask', 'trust'], { default: 'ask' }),
    /**
     * Timeout of a call to a provider in milliseconds, 100 to 60000. A login that exceeds it fails with 50300.
     * @default 5000
     */
    timeoutMs: Option.integer({ min: 100, max: 60_000, default: 5000 }),
    /**
     * Called after a login with a linked identity, and after a link on a page, for applications that call the API of a provider.
     *
     * It may take 2 seconds. An error is logged, and changes nothing. It is not called after a sign-up or a link of an app: a later
     * request completes them, and no token of a provider is stored until then.
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

function redirectBaseProblem(value: string): string | undefined {
  return (
    urlProblem(value) ?? (/[?]|\/$/.test(value) ? 'must not have a query, or end with a slash' : undefined)
  );
}
