import { defineOptions, Option, type OptionsOf } from 'kit-auth/feature';
import { isObject } from 'kit-auth/tools';
import { prefixProblem, urlProblem } from './bus.feature.js';

export const postgresBusOptions = defineOptions(
  'kit.auth.postgresBus',
  {
    /**
     * `postgres://user:password@host:port/database`. It must not lead to a pool that shares connections between
     * transactions, such as PgBouncer's.
     * @default none
     */
    url: Option.text({
      check: (value) =>
        urlProblem(value, ['postgres:', 'postgresql:'], 'postgres://user:password@host:port/database'),
    }),
    /**
     * Options of `Client` of the package `pg` instead of `url`, for example with `ssl`, or a function as `password`.
     * @default none
     */
    config: new Option<object, object | undefined>({
      check: (value) => (isObject(value) ? undefined : "must be an object with options of pg's Client"),
    }),
    /**
     * Prefix of the channels. Give each application in one database its own, also if they have schemas of their own.
     * @default 'kit-auth:'
     */
    channelPrefix: Option.text({ default: 'kit-auth:', check: prefixProblem }),
  },
  {
    problems: ({ url, config }) =>
      (url === undefined) === (config === undefined)
        ? ['url or kit.auth.postgresBus.config must be given, and not both: where PostgreSQL is']
        : [],
  },
);

/** The argument of `KitAuthPostgresBusModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthPostgresBusOptions extends OptionsOf<typeof postgresBusOptions> {}

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthPostgresBusModule`, which its `forRoot()` overrides key by key. */
    postgresBus?: KitAuthPostgresBusOptions | undefined;
  }
}
