import {
  Option,
  defineOptions,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';

/** Where the token of a handshake may be. */
export type TokenPlace = 'header' | 'cookie' | 'auth' | 'message';

const PLACES: readonly TokenPlace[] = ['header', 'cookie', 'auth', 'message'];

export const socketsOptions = defineOptions('kit.auth.sockets', {
  /**
   * Which gateways need a token at the handshake. `'protected'`: all but those with `@Public()` on the class.
   * `'decorated'`: those with another access decorator on the class, on `handleConnection()` or on a message handler.
   * @default 'protected'
   */
  gateways: Option.choice(['protected', 'decorated'], { default: 'protected' }),
  /**
   * Where the token of a handshake may be. `'header'`: in the token header. `'cookie'`: in the cookie of
   * `kit-auth-browser`, or wherever the token transport of the application reads it. `'auth'`: in `auth.token` of
   * socket.io and in `connectionParams.token` of GraphQL subscriptions, or in a member with the name of the token header
   * there. `'message'`: in the first message of a client of `ws`, `{"event":"kit-auth","data":{"token":"..."}}`. Never in
   * the query, which is logged everywhere.
   * @default ['header', 'cookie', 'auth']
   */
  from: new Option<readonly TokenPlace[]>({
    default: ['header', 'cookie', 'auth'],
    check: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((place) => PLACES.includes(place as TokenPlace))
        ? undefined
        : `must be a list of ${PLACES.map((place) => `'${place}'`).join(', ')}`,
    parse: (value) => Option.parseList(value) as TokenPlace[],
  }),
  /**
   * Milliseconds within which a client of `ws` must send its token in the first message, 100 to 60000.
   * @default 5000
   */
  firstMessageMs: Option.integer({ min: 100, max: 60_000, default: 5000 }),
  /**
   * Seconds between two checks of the login of a socket, 5 to 300. If all hints are lost, an end is noticed this late.
   * @default 30
   */
  recheckSeconds: Option.integer({ min: 5, max: 300, default: 30 }),
  /**
   * Maximum number of sockets per user and instance, 1 to 1000000.
   * @default 100
   */
  maxPerUser: Option.integer({ min: 1, max: 1_000_000, default: 100 }),
  /**
   * Maximum number of clients per instance whose token is being checked, 1 to 1000000. With `from: ['message']`, as many
   * others may not have sent their first message yet.
   * @default 1000
   */
  maxWaiting: Option.integer({ min: 1, max: 1_000_000, default: 1000 }),
  /**
   * Whether a socket stays open after its access token has expired, while its login is live, as with refresh tokens.
   * @default true
   */
  keepAfterToken: Option.flag({ default: true }),
});

/** The argument of `KitAuthSocketsModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthSocketsOptions extends OptionsOf<typeof socketsOptions> {}
export type SocketsSettings = SettingsOf<typeof socketsOptions>;
export type ResolvedSocketsOptions = ResolvedOptions<SocketsSettings>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthSocketsModule`, which its `forRoot()` overrides key by key. */
    sockets?: KitAuthSocketsOptions | undefined;
  }
}
