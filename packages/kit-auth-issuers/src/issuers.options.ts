import {
  defineOptions,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import type { Issuer } from './issuer.js';
import { issuersProblem, plainUrlProblem } from './issuer.problems.js';

/** Maximum of the metadata endpoint. */
const MAX_PARTS = 4;

export const issuersOptions = defineOptions(
  'kit.auth.issuers',
  {
    /**
     * The issuers whose access tokens are accepted, see `Issuer`. Required.
     * @default none
     */
    issuers: new Option<readonly Issuer[]>({ default: [], check: issuersProblem }),
    /**
     * The URL of your API, such as `https://api.example.com`. OAuth clients, such as those of MCP, then find the issuers at
     * `/.well-known/oauth-protected-resource` (RFC 9728).
     * @default none
     */
    resource: Option.text({ check: resourceProblem }),
  },
  {
    problems: ({ issuers }) =>
      issuers === undefined ? ['issuers is missing: such as [{ issuer, audience, user }]'] : [],
  },
);

/** The argument of `KitAuthIssuersModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthIssuersOptions extends OptionsOf<typeof issuersOptions> {}
export type IssuersSettings = SettingsOf<typeof issuersOptions>;
export type ResolvedIssuersOptions = ResolvedOptions<IssuersSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthIssuersModule`, which its `forRoot()` overrides key by key. */
    issuers?: KitAuthIssuersOptions | undefined;
  }
}

function resourceProblem(value: string): string | undefined {
  return (
    plainUrlProblem(value) ??
    (new URL(value).pathname.split('/').length - 1 > MAX_PARTS
      ? `must have at most ${MAX_PARTS} parts in its path`
      : undefined) ??
    (value.endsWith('/') ? 'must not end with a slash' : undefined) ??
    (/^[!#-[\]-~]+$/.test(value) ? undefined : 'must be in the characters of URLs')
  );
}
