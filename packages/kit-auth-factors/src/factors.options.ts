import {
  defineOptions,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';

const MAX_ISSUER_LENGTH = 64;

export const factorsOptions = defineOptions(
  'kit.auth.factors',
  {
    /**
     * Secrets that encrypt the devices in the database, each at least 32 bytes of UTF-8. Required.
     *
     * The first one encrypts, and all of them decrypt. To replace a secret, append the new one on all instances, move it to
     * the front, and remove the old one when no device needs it. In the environment, secrets are separated by commas.
     * @default none
     */
    keys: Option.secrets(),
    /**
     * Name of your application in authenticator apps. Required.
     * @default none
     */
    issuer: Option.text({ check: issuerProblem }),
    /**
     * The codes of roles that require a login with a second factor.
     *
     * Users with such a role and a login without a second factor get 403/40303, except from `me`, `logout`, `fresh` and the
     * endpoints below `factors`. Their API keys, tokens of other issuers, and jobs and messages need a second factor, too. In the
     * environment, codes are separated by commas.
     * @default none
     */
    requiredFor: new Option<readonly string[]>({ default: [], check: rolesProblem, parse: Option.parseList }),
    /** Codes of authenticator apps. */
    totp: {
      /**
       * Steps of 30 seconds by which a code may be early or late, 0 to 2.
       * @default 1
       */
      window: Option.integer({ min: 0, max: 2, default: 1 }),
    },
  },
  {
    problems: ({ keys, issuer }) => [
      ...(keys === undefined || keys.length === 0
        ? [
            'keys is missing: at least one secret of 32 bytes or more, such as the output of npx kit-auth secret',
          ]
        : []),
      ...(issuer === undefined
        ? ['issuer is missing: the name of your application, which authenticator apps show']
        : []),
    ],
  },
);

/** The argument of `KitAuthFactorsModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthFactorsOptions extends OptionsOf<typeof factorsOptions> {}
export type FactorsSettings = SettingsOf<typeof factorsOptions>;
export type ResolvedFactorsOptions = ResolvedOptions<FactorsSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthFactorsModule`, which its `forRoot()` overrides key by key. */
    factors?: KitAuthFactorsOptions | undefined;
  }
}

/** The URI that authenticator apps scan separates the issuer from the username by a colon. */
function issuerProblem(value: string): string | undefined {
  if (value.length > MAX_ISSUER_LENGTH) {
    return `must have at most ${MAX_ISSUER_LENGTH} characters`;
  }
  return /[:\p{Cc}]/u.test(value) ? 'must not contain colons or control characters' : undefined;
}

function rolesProblem(value: unknown): string | undefined {
  return Array.isArray(value) && value.every((role) => typeof role === 'string' && role.trim() !== '')
    ? undefined
    : 'must be a list of role codes';
}
