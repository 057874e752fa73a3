import { defineOptions, Option, type OptionsOf } from 'kit-auth/feature';
import { type RedisBusClient, wiresOf } from './redis.wire.js';
import { prefixProblem, urlProblem } from './bus.feature.js';

export const redisBusOptions = defineOptions(
  'kit.auth.redisBus',
  {
    /**
     * `redis://user:password@host:port`, or `rediss://` for TLS, with the package `redis`.
     * @default none
     */
    url: Option.text({
      check: (value) => urlProblem(value, ['redis:', 'rediss:'], 'redis://user:password@host:port'),
    }),
    /**
     * A client, cluster or sentinel of `redis`, or a client or cluster of `ioredis`, instead of `url`.
     *
     * The bus takes the server and the login from it, and connects two duplicates of its own. Your application need not
     * connect the client, and closes it.
     * @default none
     */
    client: new Option<RedisBusClient, RedisBusClient | undefined>({
      check: (value) =>
        typeof value === 'object' && value !== null && wiresOf(value) !== undefined
          ? undefined
          : 'must be a client, cluster or sentinel of redis 5 or 6, or a client or cluster of ioredis. ' +
            'Pools have no subscriptions',
    }),
    /**
     * Prefix of the channels. Give each application on one server its own: the numbers of databases do not separate them.
     * @default 'kit-auth:'
     */
    channelPrefix: Option.text({ default: 'kit-auth:', check: prefixProblem }),
  },
  {
    problems: ({ url, client }) =>
      (url === undefined) === (client === undefined)
        ? ['url or kit.auth.redisBus.client must be given, and not both: where Redis is']
        : [],
  },
);

/** The argument of `KitAuthRedisBusModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthRedisBusOptions extends OptionsOf<typeof redisBusOptions> {}

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthRedisBusModule`, which its `forRoot()` overrides key by key. */
    redisBus?: KitAuthRedisBusOptions | undefined;
  }
}
