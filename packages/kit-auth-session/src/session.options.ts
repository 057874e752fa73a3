import {
  Option,
  defineOptions,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import { MemorySessionStore } from './stores/memory.session-store.js';
import type { SessionStore } from './stores/session-store.js';

const STORE_METHODS = ['create', 'find', 'touch', 'end', 'endAllOf', 'keepEnd', 'listOf', 'prune'] as const;
const MAX_TIMEOUT_MINUTES = 525_600; // a year
/** The longest lifetime that any `timeoutMinutes` allows. */
export const MAX_LIFETIME_MS = MAX_TIMEOUT_MINUTES * 60_000;
const MIN_SECRET_BYTES = 32;
/** Part of a key. Braces would choose the node of a cluster. */
const REALM = /^[\w.-]{1,64}$/;
const REDIS_STORE =
  ": for Redis, import { RedisSessionStore } from 'kit-auth-session/redis' and pass new RedisSessionStore({ url })";

export const sessionOptions = defineOptions(
  'kit.auth.session',
  {
    /**
     * `'stateful'`: a token names a session in the store. `'stateless'`: an encrypted token contains the session.
     *
     * With `'stateless'` the store keeps only sessions that were ended early, and sessions cannot be listed.
     * @default 'stateful'
     */
    mode: Option.choice(['stateful', 'stateless'], { default: 'stateful' }),
    /**
     * Lifetime of a session in minutes, 1 to 525600. Activity does not extend it.
     * @default 720
     */
    timeoutMinutes: Option.integer({ min: 1, max: MAX_TIMEOUT_MINUTES, default: 720 }),
    /**
     * Ends a session that has not been used for this many minutes, 1 to 525600.
     * @default none
     */
    idleMinutes: Option.integer({ min: 1, max: MAX_TIMEOUT_MINUTES }),
    /**
     * Maximum number of live sessions per user, 1 to 10000.
     * @default none
     */
    maxPerUser: Option.integer({ min: 1, max: 10_000 }),
    /**
     * What a login beyond `maxPerUser` does: end the oldest session, or fail with 40300 (`'refuse'`).
     * @default 'end-oldest'
     */
    overflow: Option.choice(['end-oldest', 'refuse'], { default: 'end-oldest' }),
    /**
     * `'database'` (table `auth_session`), `'memory'`, a `RedisSessionStore`, or your own `SessionStore`.
     * @default 'database'
     */
    store: new Option<'database' | 'memory' | SessionStore>({
      default: 'database',
      check: (value) =>
        value === 'database' || value === 'memory' || isStore(value)
          ? undefined
          : `must be 'database', 'memory' or a SessionStore${value === 'redis' ? REDIS_STORE : ''}`,
      parse: (value) => value,
    }),
    /**
     * Names the database of your users: 1 to 64 letters, digits, `.`, `_` and `-`. Stages and applications that share a server for
     * sessions, such as Redis, do not accept the sessions of each other if their realms differ.
     *
     * Without it, the realm is in the table `auth_database` of the default user store. With your own user store, set it from the
     * environment: every stage has a user 1.
     * @default none
     */
    realm: Option.text({
      check: (value) =>
        REALM.test(value)
          ? undefined
          : 'must have 1 to 64 letters, digits, ".", "_" and "-", such as shop-production',
    }),
    /**
     * Maximum age of a cached user in seconds, 0 to 3600. With 0, every request reads the user.
     *
     * Changes that were made directly in the database take effect after this time.
     * @default 0
     */
    userCacheSeconds: Option.integer({ min: 0, max: 3600, default: 0 }),
    /**
     * For `'stateless'`: a key of at least 32 bytes, or a list of keys. The first encrypts, all decrypt.
     * @default none
     */
    secret: new Option<string | readonly string[], string | readonly string[] | undefined>({
      check: (value) =>
        listOf(value).length > 0 && listOf(value).every(isSecret)
          ? undefined
          : `must be a string of at least ${MIN_SECRET_BYTES} bytes, or a list of such strings`,
      parse: (value) => value,
      isSecret: true,
    }),
  },
  {
    problems: ({ mode, secret, idleMinutes, maxPerUser, store }) =>
      mode !== 'stateless'
        ? []
        : [
            ...(secret === undefined ? ["secret is missing: mode 'stateless' encrypts tokens with it"] : []),
            ...(idleMinutes === undefined ? [] : ["idleMinutes needs mode 'stateful'"]),
            ...(maxPerUser === undefined ? [] : ["maxPerUser needs mode 'stateful'"]),
            ...(isStore(store) && typeof store.keepEndOfAll !== 'function'
              ? ["store has no method keepEndOfAll, which mode 'stateless' needs"]
              : []),
          ],
    warnings: ({ mode, store }) =>
      mode === 'stateless' && (store === 'memory' || store instanceof MemorySessionStore)
        ? [
            "store 'memory' forgets ended tokens when the process restarts, and they are valid again: " +
              "with mode 'stateless' use 'database' or a RedisSessionStore",
          ]
        : [],
  },
);

/** The argument of `KitAuthSessionModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthSessionOptions extends OptionsOf<typeof sessionOptions> {}
export type SessionSettings = SettingsOf<typeof sessionOptions>;
export type ResolvedSessionOptions = ResolvedOptions<SessionSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthSessionModule`, which its `forRoot()` overrides key by key. */
    session?: KitAuthSessionOptions | undefined;
  }
}

export function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function isSecret(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.isWellFormed() &&
    Buffer.byteLength(value) >= MIN_SECRET_BYTES
  );
}

function isStore(value: unknown): value is SessionStore {
  const candidate = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return STORE_METHODS.every((method) => typeof candidate[method] === 'function');
}
