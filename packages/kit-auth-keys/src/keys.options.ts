import {
  defineOptions,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';

const DEFAULT_DAYS = 90;
const A_YEAR = 365;

export const keysOptions = defineOptions(
  'kit.auth.keys',
  {
    /**
     * Lifetime of a key in days if the request has no `days`, 1 to 365. At most `maxDays`.
     * @default 90
     */
    defaultDays: Option.integer({ min: 1, max: A_YEAR, default: DEFAULT_DAYS }),
    /**
     * Longest lifetime of a key in days, 1 to 365. With `'unlimited'`, users can also create keys that never expire.
     * @default 365
     */
    maxDays: new Option<number | 'unlimited'>({
      default: A_YEAR,
      check: (value) =>
        value === 'unlimited' || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= A_YEAR)
          ? undefined
          : `must be a whole number from 1 to ${A_YEAR}, or 'unlimited'`,
      warn: (value) =>
        value === 'unlimited'
          ? "is 'unlimited': KEYS MAY NEVER END, so a leaked key works until it is deleted"
          : undefined,
      parse: (value) => (/^\d{1,3}$/.test(value) ? Number(value) : value),
    }),
    /**
     * Maximum number of live keys per user, 1 to 10000.
     * @default 50
     */
    maxPerUser: Option.integer({ min: 1, max: 10_000, default: 50 }),
    /**
     * Seconds for which a process caches a key and its owner, 0 to 300. With 0, every request looks them up.
     *
     * If another process ends a key, this one accepts it until it looks the key up again.
     * @default 0
     */
    cacheSeconds: Option.integer({ min: 0, max: 300, default: 0 }),
  },
  {
    problems: ({ defaultDays, maxDays }) => {
      const days = defaultDays ?? DEFAULT_DAYS;
      return typeof maxDays === 'number' && days > maxDays
        ? [`defaultDays must be at most maxDays (${maxDays}). It is ${days}: set it, too`]
        : [];
    },
  },
);

/** The argument of `KitAuthKeysModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthKeysOptions extends OptionsOf<typeof keysOptions> {}
export type KeysSettings = SettingsOf<typeof keysOptions>;
export type ResolvedKeysOptions = ResolvedOptions<KeysSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthKeysModule`, which its `forRoot()` overrides key by key. */
    keys?: KitAuthKeysOptions | undefined;
  }
}
