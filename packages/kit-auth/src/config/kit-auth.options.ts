import type { LoginLimiterFactory } from '../contract/login-limiter.js';

/** What `KitAuthModule.forRoot()` takes: the keys under `kit.auth`. */
export interface KitAuthOptions {
  /** Whether authentication is on. Off: nothing is protected or seeded, the endpoints answer 404. Default `true`. */
  enabled?: boolean | undefined;
  /** Name of the request header that carries the token. Default `Authorization`. */
  tokenHeader?: string | undefined;
  /** What precedes the token in the header, its trailing space included. Default `'Bearer '`. */
  tokenPrefix?: string | undefined;
  /** Name of the seeded administrator. Default `admin`. */
  defaultAdminUsername?: string | undefined;
  /** Password of the seeded administrator, at most 72 bytes. Default `admin`; override it in production. */
  defaultAdminPassword?: string | undefined;
  /** Paths that need no login, as Ant-style patterns (`?`, `*`, `**`). Default none. */
  whiteList?: readonly string[] | undefined;
  /** Another spelling of `whiteList`; both lists count where both are given. */
  'white-list'?: readonly string[] | undefined;
  jwt?: KitAuthJwtOptions | undefined;
  password?: KitAuthPasswordOptions | undefined;
  login?: KitAuthLoginOptions | undefined;
  access?: KitAuthAccessOptions | undefined;
}

/** A class for `KitAuthModule.forRootAsync({ useClass })` or `useExisting`. */
export interface KitAuthOptionsFactory {
  create(): KitAuthOptions | Promise<KitAuthOptions>;
}

/** Who may call what. */
export interface KitAuthAccessOptions {
  /**
   * Whether start-up fails on a route that no decorator and no white-list pattern decides, but its path alone.
   * Default `false`.
   */
  requireDecision?: boolean | undefined;
}

/** Read by `kit-auth-jwt` alone. */
export interface KitAuthJwtOptions {
  /** HS256 key, at least 32 bytes of UTF-8. Default a placeholder that is warned about; override it in production. */
  secret?: string | undefined;
  /** How long a token is valid, in whole minutes. Default `720`. */
  expireMinutes?: number | undefined;
  /**
   * Whether tokens end when the user's password, status or roles change: tokens then carry the user's security
   * stamp, and the database is asked for it. `true`, or a number of seconds from 0 to 3600 that an answer may be
   * old; `true` stands for 5. Tokens without a stamp are refused. Default `false`.
   */
  checkStamp?: boolean | number | undefined;
}

/** How passwords are hashed. */
export interface KitAuthPasswordOptions {
  /** bcrypt cost, 10 to 15: each step doubles the time of a hash. Older, cheaper hashes are renewed at login. Default `12`. */
  cost?: number | undefined;
  /**
   * How many hashes run at once. Default: cores minus one, and always one thread fewer than libuv's pool has, so
   * that file and DNS work goes on during a storm of logins.
   */
  concurrency?: number | undefined;
  /** How many characters a password needs that somebody chooses, 8 to 64. Default `8`. */
  minLength?: number | undefined;
  /**
   * How many hashes may wait for their turn, and a quarter as many of known devices; past that a login gets 50300 with
   * `Retry-After`. Default `64`.
   */
  queue?: number | undefined;
}

export interface KitAuthLoginOptions {
  /** How long a login waits for the database before it gets 50300, in milliseconds. Default `3000`. */
  databaseTimeoutMs?: number | undefined;
  /** How the guessing of passwords is slowed down; `false` switches that off. Default on. */
  throttle?: boolean | KitAuthLoginThrottleOptions | undefined;
}

export interface KitAuthLoginThrottleOptions {
  /** How many wrong passwords an account has free before waits begin, 1 to 100. Default `5`. */
  failures?: number | undefined;
  /** The same for an address (IPv6: a /64); more than `failures` where many users share one. Default `5`. */
  addressFailures?: number | undefined;
  /** Waits double from one second up to this many. Default `900`. */
  maxWaitSeconds?: number | undefined;
  /**
   * Makes a limiter of `rate-limiter-flexible` over Redis, PostgreSQL, MySQL..., which all instances of the
   * application share. Called three times. Default: every process counts in its own memory.
   */
  limiter?: LoginLimiterFactory | undefined;
}
