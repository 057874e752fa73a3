import { Inject, Injectable } from '@nestjs/common';
import {
  Option,
  defineOptions,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import {
  foreignOriginsOf,
  foreignOriginsProblem,
  originsProblem,
  rpIdProblem,
} from './relying-party.rules.js';

const MAX_NAME_LENGTH = 64;

export const passkeysOptions = defineOptions(
  'kit.auth.passkeys',
  {
    /**
     * The domain that passkeys belong to, such as `example.com`. Required.
     *
     * Passkeys work on this domain and its subdomains. They cannot be moved to another domain, so choose the domain that your
     * sites share. `localhost` is for development only.
     * @default none
     */
    rpId: Option.text({ check: rpIdProblem }),
    /**
     * The name of your application, 1 to 64 characters. Authenticators show it. Required.
     * @default none
     */
    rpName: Option.text({ check: rpNameProblem }),
    /**
     * The exact origins of pages that may ask for a passkey, such as `https://app.example.com`.
     *
     * Each host must be `rpId` or a subdomain. Only `localhost` may have http. For an Android app, add
     * `android:apk-key-hash:…`. In the environment, origins are separated by commas.
     * @default `https://<rpId>`
     */
    origins: new Option<readonly string[]>({ default: [], check: originsProblem, parse: Option.parseList }),
    /**
     * Maximum number of passkeys per user, 1 to 100.
     * @default 20
     */
    maxPerUser: Option.integer({ min: 1, max: 100, default: 20 }),
    /**
     * Logins with a password ask for the passkey of their user as a second factor.
     *
     * Users with another second factor, for example an authenticator app, can always show their passkey instead.
     * @default false
     */
    secondFactor: Option.flag({ default: false }),
    /**
     * Check of the counter of passkeys on a single device, which must grow with each use.
     *
     * `'strict'` refuses a passkey whose counter does not grow, because it may be a copy. `'note'` accepts it. Both publish
     * the event `passkey-counter`.
     * @default 'strict'
     */
    counters: Option.choice(['strict', 'note'], { default: 'strict' }),
    /**
     * Serves `/.well-known/webauthn` for other domains of yours, and allows them in `origins`.
     *
     * Browsers read the file from `rpId`, and accept five domains.
     * @default false
     */
    related: Option.flag({ default: false }),
  },
  {
    problems: ({ rpId, rpName, origins, related }) => [
      ...(rpId === undefined ? ['rpId is missing: the domain of your site, such as example.com'] : []),
      ...(rpName === undefined
        ? ['rpName is missing: the name of your application, which authenticators show']
        : []),
      ...foreignProblems(rpId, origins, related),
    ],
  },
);

/** The argument of `KitAuthPasskeysModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthPasskeysOptions extends OptionsOf<typeof passkeysOptions> {}
export type PasskeysSettings = SettingsOf<typeof passkeysOptions>;
export type ResolvedPasskeysOptions = ResolvedOptions<PasskeysSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthPasskeysModule`, which its `forRoot()` overrides key by key. */
    passkeys?: KitAuthPasskeysOptions | undefined;
  }
}

/** The application in WebAuthn. */
@Injectable()
export class RelyingParty {
  /** The domain. */
  readonly id: string;
  readonly name: string;
  /** The origins of pages that may ask for a passkey. */
  readonly origins: readonly string[];
  /** The `origins` on other domains. Undefined unless `related` is on. */
  readonly relatedOrigins: readonly string[] | undefined;

  constructor(@Inject(passkeysOptions.token) { settings }: ResolvedPasskeysOptions) {
    this.id = settings.rpId ?? '';
    this.name = settings.rpName ?? '';
    this.origins = settings.origins.length > 0 ? settings.origins : [`https://${this.id}`];
    this.relatedOrigins = settings.related ? foreignOriginsOf(this.id, this.origins) : undefined;
  }
}

/** Skips `rpId` and origins that another check has reported. */
function foreignProblems(
  rpId: string | undefined,
  origins: readonly string[] | undefined,
  related: boolean | undefined,
): string[] {
  const areValid =
    typeof rpId === 'string' && rpIdProblem(rpId) === undefined && originsProblem(origins) === undefined;
  const problem = areValid ? foreignOriginsProblem(rpId, origins ?? [], related === true) : undefined;
  return problem === undefined ? [] : [`origins ${problem}`];
}

function rpNameProblem(value: string): string | undefined {
  return value.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(value)
    ? `must have at most ${MAX_NAME_LENGTH} characters, and no control characters`
    : undefined;
}
