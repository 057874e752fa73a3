import type { SessionStore } from '../stores/session-store.js';

/** What `KitAuthSessionModule.forRoot()` takes. */
export interface KitAuthSessionOptions {
  /**
   * `'stateful'`: a token names a session in the store. `'stateless'`: it holds its session, sealed with `secret`; the
   * store has only what was ended before its time, and sessions cannot be listed. Default `'stateful'`.
   */
  mode?: 'stateful' | 'stateless' | undefined;
  /** For `'stateless'`: key material of at least 32 bytes, or a list of such, of which the first seals and all open. */
  secret?: string | readonly string[] | undefined;
  /** How long a session lives, in whole minutes; activity never extends it. Default `720`. */
  timeoutMinutes?: number | undefined;
  /** Ends a session that is not used for so many minutes. Default none. */
  idleMinutes?: number | undefined;
  /** How many live sessions a user may have. Default no limit. */
  maxPerUser?: number | undefined;
  /** What a login too many does: end the user's oldest session, or be refused with 40300. Default `'end-oldest'`. */
  overflow?: 'end-oldest' | 'refuse' | undefined;
  /** Where sessions are kept: the application's own data source, the process, or a store of yours. Default `'database'`. */
  store?: 'database' | 'memory' | SessionStore | undefined;
  /**
   * How old a user may be that a request sees, in seconds: 0 reads the database on every request. Default `0`.
   * What is changed by hand in the database then counts this much later.
   */
  userCacheSeconds?: number | undefined;
}

/** A class for `KitAuthSessionModule.forRootAsync({ useClass })` or `useExisting`. */
export interface KitAuthSessionOptionsFactory {
  create(): KitAuthSessionOptions | Promise<KitAuthSessionOptions>;
}

/** The options with their defaults, checked. Times in milliseconds. */
export interface SessionSettings {
  readonly mode: 'stateful' | 'stateless';
  readonly secrets: readonly string[];
  readonly lifetimeMs: number;
  readonly idleMs: number | undefined;
  readonly maxPerUser: number | undefined;
  readonly overflow: 'end-oldest' | 'refuse';
  readonly store: 'database' | 'memory' | SessionStore;
  readonly userCacheMs: number;
}
