import type { TransportRequest } from './token-transport.js';

/** Injection token of the {@link KitAuthSettings}. */
export const KIT_AUTH_SETTINGS = Symbol.for('kit-auth.settings');

/**
 * The options of `KitAuthModule` with their defaults, checked and frozen. The definition of the options declares the
 * members, so that the contract does not depend on it.
 *
 * @example
 * constructor(@Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings) {}
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- open: config/kit-auth.options.ts adds the members
export interface KitAuthSettings {}

/** The option `optional`, with more than its patterns. */
export interface OptionalPaths {
  /** Paths that read a token but need none, as Ant-style patterns. */
  readonly paths: readonly string[];
  /**
   * The effect of an invalid or expired token: `refuse` answers 40101, and `anonymous` admits the request without a user.
   * Default `refuse`.
   */
  readonly invalid?: 'refuse' | 'anonymous';
  /**
   * Whether a request needs no token. If it returns anything but true, or throws, the request needs one. Default: no request
   * does.
   *
   * @example
   * ```ts
   * KitAuthModule.forRoot({ optional: { paths: ['/**'], when: ({ method }) => method === 'GET' } });
   * ```
   */
  readonly when?: (request: TransportRequest) => boolean;
}

export type LoginThrottleSettings = Exclude<KitAuthSettings['login']['throttle'], false>;

/** bcrypt ignores further bytes. */
export const MAX_PASSWORD_BYTES = 72;
/** A bcrypt hash of this cost takes seconds. */
export const MAX_PASSWORD_COST = 15;
export const MAX_USERNAME_LENGTH = 255;
/** Node accepts 16 KiB of headers. A longer token could be issued, but not sent. */
export const MAX_TOKEN_LENGTH = 12_288;
