import {
  Option,
  defineOptions,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';

const MAX_CHECK_SECONDS = 3600;

export const refreshOptions = defineOptions('kit.auth.refresh', {
  /**
   * Lifetime of an access token in minutes, 1 to 60. Each token lives up to 5 % less, at random.
   *
   * The random part keeps clients from refreshing all at once. `kit.auth.jwt.expireMinutes` is an upper bound too.
   * @default 10
   */
  accessMinutes: Option.integer({ min: 1, max: 60, default: 10 }),
  /**
   * Lifetime of a login in days, 1 to 365. A refresh does not extend it.
   * @default 30
   */
  lifetimeDays: Option.integer({ min: 1, max: 365, default: 30 }),
  /**
   * Ends a login that was not refreshed for this many days, 1 to 365.
   * @default 7
   */
  idleDays: Option.integer({ min: 1, max: 365, default: 7 }),
  /**
   * Seconds for which a used refresh token returns the same successor again, 0 to 300. With 0, never.
   *
   * It covers lost answers and tabs that refresh at the same time. It ends earlier once the successor was used, and for good
   * after replays in two refreshes in a row.
   * @default 30
   */
  graceSeconds: Option.integer({ min: 0, max: 300, default: 30 }),
  /**
   * Clients that get the successor again: with `'address'`, only from the address and user agent that refreshed; with
   * `'anyone'`, every client with the used token.
   *
   * IPv6 addresses count as the same if their first 64 bits are.
   * @default 'address'
   */
  graceFor: Option.choice(['address', 'anyone'], { default: 'address' }),
  /**
   * Seconds for which a login, its user and their stamp count as valid after a look-up, 0 to 3600, or `false`.
   *
   * With `false`, requests do not look them up, and access tokens are valid until they expire.
   * @default 5
   */
  checkSeconds: new Option<number | false>({
    default: 5,
    check: (value) =>
      value === false || isSeconds(value)
        ? undefined
        : `must be false, or a whole number of seconds from 0 to ${MAX_CHECK_SECONDS}`,
    parse: (text) => (text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text),
  }),
  /**
   * Maximum number of live logins per user, 1 to 10000.
   * @default none
   */
  maxPerUser: Option.integer({ min: 1, max: 10_000 }),
  /**
   * Effect of a login beyond `maxPerUser`: `'end-oldest'` ends the oldest one, `'refuse'` answers 40300.
   * @default 'end-oldest'
   */
  overflow: Option.choice(['end-oldest', 'refuse'], { default: 'end-oldest' }),
});

/** The argument of `KitAuthRefreshModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthRefreshOptions extends OptionsOf<typeof refreshOptions> {}
export type RefreshSettings = SettingsOf<typeof refreshOptions>;
export type ResolvedRefreshOptions = ResolvedOptions<RefreshSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthRefreshModule`, which its `forRoot()` overrides key by key. */
    refresh?: KitAuthRefreshOptions | undefined;
  }
}

function isSeconds(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_CHECK_SECONDS;
}
