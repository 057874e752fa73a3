import { availableParallelism } from 'node:os';
import {
  MAX_PASSWORD_BYTES,
  MAX_PASSWORD_COST,
  MAX_USERNAME_LENGTH,
  type OptionalPaths,
} from '../contract/settings.js';
import type { UserDataKey } from '../contract/user-id.js';
import { isObject } from '../ports/port.js';
import type { LoginLimiterFactory } from '../contract/login-limiter.js';
import { antPatternProblem, matchesAllPaths } from '../routes/ant-pattern.js';
import { defineOptions, type OptionsOf, type SettingsOf } from './define-options.js';
import {
  audienceProblem,
  dataNamesProblem,
  issuerProblem,
  type JwtKey,
  jwksProblem,
  jwtKeysProblem,
  parseJson,
  parseTexts,
  timeProblem,
} from './jwt-keys.js';
import {
  booleanProblem,
  flag,
  integer,
  isInteger,
  Option,
  parseBoolean,
  parseInteger,
  parseList,
  switchable,
  text,
} from './option.js';

/** A placeholder. It equals the default username. */
export const BUILT_IN_ADMIN_PASSWORD = 'admin';

const UNUSABLE_HEADERS = new Set([
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'set-cookie',
  'transfer-encoding',
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
]);

export const kitAuthOptions = defineOptions('kit.auth', {
  /**
   * Enables authentication. If `false`, nothing is protected or seeded, and the endpoints answer 404.
   * @default true
   */
  enabled: flag({ default: true }),
  /**
   * Request header that carries the token.
   * @default 'Authorization'
   */
  tokenHeader: text({ default: 'Authorization', check: headerProblem }),
  /**
   * Prefix of the token in the header, including its trailing space. `''` for none.
   * @default 'Bearer '
   */
  tokenPrefix: new Option<string>({
    default: 'Bearer ',
    // Node trims a header value, so a prefix of white space would never match.
    check: (value) =>
      typeof value === 'string' && /^(?:[!-~][ -~]*)?$/.test(value)
        ? undefined
        : 'must be printable ASCII that does not begin with a space, or empty',
    warn: (prefix) =>
      prefix === '' || prefix.endsWith(' ')
        ? undefined
        : 'does not end with a space: prefix and token run together',
    parse: (value) => value,
  }),
  /**
   * Username of the seeded administrator.
   * @default 'admin'
   */
  defaultAdminUsername: text({ default: 'admin', check: usernameProblem }),
  /**
   * Password of the seeded administrator, at most 72 bytes. Override it in production.
   * @default 'admin'
   */
  defaultAdminPassword: text({ default: BUILT_IN_ADMIN_PASSWORD, check: passwordProblem }),
  /**
   * Refuses to start with the placeholder of `jwt.secret` or the default password of the administrator.
   *
   * With `false`, they only log warnings.
   * @default true in production
   */
  strict: new Option<boolean, boolean | undefined>({ check: booleanProblem, parse: parseBoolean }),
  /**
   * Paths that need a token, as Ant-style patterns. With `'decorated'`, only decorators protect.
   *
   * The syntax is that of `whiteList`, but case does not count. `['/**']` protects every route. With `'decorated'`, a
   * route needs a token if its handler or class has `@RequireToken()`, `@RequireRoles()`, `@RequirePermissions()` or
   * `@Authorize()`.
   * @default /v1/**, /v2/**
   */
  protect: new Option<readonly string[] | 'decorated'>({
    default: ['/v1/**', '/v2/**'],
    check: protectProblem,
    parse: (list) => (list.trim() === 'decorated' ? 'decorated' : parseList(list)),
  }),
  /**
   * Paths that need no token, as Ant-style patterns (`?`, `*`, `**`).
   *
   * `?` matches one character, `*` any characters of a segment, `**` any number of segments. In the environment,
   * patterns are separated by commas.
   * @default none
   */
  whiteList: new Option<readonly string[]>({
    default: [],
    alias: 'white-list',
    check: patternsProblem,
    warn: (patterns) =>
      patterns.some(matchesAllPaths) ? 'has "/**": NOTHING IS PROTECTED, every path is open' : undefined,
    parse: parseList,
  }),
  /**
   * Paths that read a token but need none, as Ant-style patterns. `@OptionalUser()` does the same for a handler.
   *
   * Without a token there is no user, and an invalid token gets 40101. The syntax is that of `whiteList`. A pattern applies
   * to routes of controllers, if it matches all paths of the route: `/v1/notes/latest` does not open `/v1/notes/:id`.
   * Decorators and the white-list take precedence.
   *
   * `{ paths, invalid: 'anonymous', when: (request) => boolean }` ignores invalid tokens, and admits only requests without a
   * token for which `when` returns true.
   * @default none
   */
  optional: new Option<readonly string[] | OptionalPaths>({
    default: [],
    check: optionalProblem,
    parse: parseList,
  }),
  /**
   * How long a call to an extension may take, in milliseconds, 100 to 60000.
   *
   * After that, the call has failed, and the answer is 50300. The log names the class and its module. Applies to contributions
   * to `AUTH_PROVIDER`, `AUTH_CREDENTIAL`, `LOGIN_STEP`, `AUTH_LOGINS` and `PASSWORD_HASHER`.
   * @default 5000
   */
  extensionTimeoutMs: integer({ min: 100, max: 60_000, default: 5000 }),
  /** Tokens of `kit-auth-jwt`. Other implementations ignore this group. */
  jwt: {
    /**
     * HS256 signing key, at least 32 bytes of UTF-8. Override it in production.
     * @default a placeholder
     */
    secret: text({
      check: (value) =>
        value.includes('-----BEGIN ') ? 'must be a shared secret, not a PEM key' : undefined,
      isSecret: true,
    }),
    /**
     * Lifetime of a token in minutes, 1 to 525600.
     * @default 720
     */
    // At most a year: more is a mistake in the unit. The bound also keeps the arithmetic on seconds exact.
    expireMinutes: integer({ min: 1, max: 525_600, default: 720 }),
    /**
     * Revokes tokens after a change of password, status or roles. A number sets the cache time in seconds.
     *
     * Tokens then carry the user's security stamp, which is compared with the database. Tokens without one are refused.
     * The stamp is cached for 0 to 3600 seconds; `true` means 5.
     * @default false
     */
    checkStamp: new Option<boolean | number>({
      default: false,
      check: (value) =>
        typeof value === 'boolean' || isInteger(value, 0, 3600)
          ? undefined
          : 'must be a boolean, or a whole number of seconds from 0 to 3600',
      parse: (value) => (/^\d/.test(value) ? parseInteger(value) : parseBoolean(value)),
    }),
    /**
     * Fields of `LoginUser.data` that tokens carry, at most 1024 bytes as JSON. Users of tokens have no others.
     *
     * Anybody who has a token can read them. They are as old as the token. A login whose fields are longer gets 50300, and the
     * log names them. In the environment, commas separate the names.
     * @default none
     */
    data: new Option<readonly UserDataKey[]>({
      default: [],
      check: dataNamesProblem,
      parse: parseList,
    }),
    /**
     * Keys that sign tokens instead of `secret`. The first that is not `next` signs, all verify.
     *
     * With asymmetric keys, `GET jwks` publishes the public ones. In the environment, the list is JSON.
     * @default none
     */
    keys: new Option<readonly JwtKey[], readonly JwtKey[] | undefined>({
      check: jwtKeysProblem,
      parse: parseJson,
    }),
    /**
     * Claim `iss` of new tokens: an https URL or a name. Required with asymmetric keys.
     *
     * Tokens need exactly this issuer. Those without any are accepted until `legacyUntil`.
     * @default none
     */
    issuer: text({ check: issuerProblem }),
    /**
     * Claim `aud` of new tokens, one string or a list. Without it, tokens with an audience are refused.
     *
     * Tokens need one of these audiences. Those without any are accepted until `legacyUntil`. In the environment, commas
     * separate a list.
     * @default none
     */
    audience: new Option<string | readonly string[], string | readonly string[] | undefined>({
      check: audienceProblem,
      parse: parseTexts,
    }),
    /**
     * Until when tokens from before `keys`, `issuer` and `audience` are accepted, such as `2026-12-01T00:00:00Z`.
     *
     * These are the tokens of `secret`, and those without `iss` or `aud`. Until then, `secret` signs if all keys are `next`.
     * @default none
     */
    legacyUntil: new Option<string, string | undefined>({
      check: timeProblem,
      warn: (time) =>
        Date.parse(time) <= Date.now() ? 'has passed, so that it does nothing: remove it' : undefined,
      parse: (value) => value,
    }),
    /**
     * Publishes the public keys of `keys` at `GET jwks`. `{ wellKnown: true }` also at `/.well-known/jwks.json`.
     * @default true
     */
    jwks: new Option<boolean | { readonly wellKnown: boolean }>({
      default: true,
      check: jwksProblem,
      parse: parseJson,
    }),
  },
  /** How passwords are hashed, and which are accepted. */
  password: {
    /**
     * bcrypt cost, 10 to 15. Each step doubles the time of a hash. Cheaper hashes are renewed at login.
     * @default 12
     */
    cost: integer({ min: 10, max: MAX_PASSWORD_COST, default: 12 }),
    /**
     * Number of hashes computed at the same time, 1 to 128.
     *
     * The default is also at most the number of libuv's threads minus one, which leaves a thread for files and DNS.
     * @default cores minus one
     */
    concurrency: integer({ min: 1, max: 128, default: defaultConcurrency }),
    /**
     * Number of hashes that may wait, 0 to 10000. Further logins get 50300 with `Retry-After`.
     *
     * Logins from known devices have a queue of their own, a quarter as long.
     * @default 64
     */
    queue: integer({ min: 0, max: 10_000, default: 64 }),
    /**
     * Minimum length of a new password in characters, 8 to 64.
     * @default 8
     */
    minLength: integer({ min: 8, max: 64, default: 8 }),
  },
  /** Access to routes. */
  access: {
    /**
     * Fails start-up if a route has neither an access decorator nor a matching white-list pattern.
     * @default false
     */
    requireDecision: flag({ default: false }),
  },
  login: {
    /**
     * How long a login waits for the database before it gets 50300, in milliseconds, 1 to 60000.
     *
     * While all connections of the pool are taken, its look-ups wait for one at most 0.9 seconds.
     * @default 3000
     */
    databaseTimeoutMs: integer({ min: 1, max: 60_000, default: 3000 }),
    /**
     * Slows down password guessing, by account and by address. `false` turns it off.
     * @default true
     */
    throttle: switchable({
      /**
       * Failed logins of an account before waiting times begin, 1 to 100.
       * @default 5
       */
      failures: integer({ min: 1, max: 100, default: 5 }),
      /**
       * Failed logins from an address (IPv6: a /64 network) before waiting times begin, 1 to 1000000.
       *
       * Raise it if many users share an address.
       * @default 5
       */
      addressFailures: integer({ min: 1, max: 1_000_000, default: 5 }),
      /**
       * Longest waiting time in seconds, 1 to 86400. Waiting times begin with one second and double.
       * @default 900
       */
      maxWaitSeconds: integer({ min: 1, max: 86_400, default: 900 }),
      /**
       * Creates a limiter of `rate-limiter-flexible` over a store that all instances share.
       *
       * Such as Redis, PostgreSQL or MySQL. Called once for each kind of counter. By default every process counts in its
       * own memory.
       * @default in memory
       */
      limiter: new Option<LoginLimiterFactory, LoginLimiterFactory | undefined>({
        check: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
      }),
    }),
  },
});

/** The argument of `KitAuthModule.forRoot()`: the keys under `kit.auth`. Packages add groups by declaration merging. */
export interface KitAuthOptions extends OptionsOf<typeof kitAuthOptions> {
  /** Another spelling of `whiteList`. If both are given, their lists are joined. */
  'white-list'?: readonly string[] | undefined;
}

declare module '../contract/settings.js' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- its members are those of the definition
  interface KitAuthSettings extends SettingsOf<typeof kitAuthOptions> {}
}

/** A class for `KitAuthModule.forRootAsync({ useClass })` or `useExisting`. */
export interface KitAuthOptionsFactory {
  create(): KitAuthOptions | Promise<KitAuthOptions>;
}

function defaultConcurrency(): number {
  const poolThreads = Number.parseInt(process.env['UV_THREADPOOL_SIZE'] ?? '4', 10) || 4;
  return Math.max(1, Math.min(availableParallelism(), poolThreads) - 1);
}

function headerProblem(value: string): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value)) {
    return 'must be a header name (RFC 9110 section 5.1)';
  }
  return UNUSABLE_HEADERS.has(value.toLowerCase()) ? 'names a header that cannot carry a token' : undefined;
}

function usernameProblem(value: string): string | undefined {
  if (value.length > MAX_USERNAME_LENGTH) {
    return `must have at most ${MAX_USERNAME_LENGTH} characters`;
  }
  return /\p{Cc}/u.test(value) ? 'must not contain control characters' : undefined;
}

function passwordProblem(value: string): string | undefined {
  return Buffer.byteLength(value) > MAX_PASSWORD_BYTES
    ? `must have at most ${MAX_PASSWORD_BYTES} bytes, because bcrypt ignores the rest`
    : undefined;
}

function protectProblem(value: unknown): string | undefined {
  if (value === 'decorated') {
    return undefined;
  }
  if (!Array.isArray(value)) {
    return "must be a list of path patterns, such as ['/api/**'], or 'decorated'";
  }
  if (value.length === 0) {
    return "must not be an empty list; write 'decorated' to protect only what a decorator protects";
  }
  return value.some((pattern) => typeof pattern === 'string' && /^ *decorated *$/i.test(pattern))
    ? "must be 'decorated' in lower case and without a list, or a list of path patterns"
    : patternsProblem(value);
}

function optionalProblem(value: unknown): string | undefined {
  if (!isObject(value)) {
    return patternsProblem(value);
  }
  const { paths, invalid = 'refuse', when, ...others } = value as Partial<Record<string, unknown>>;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    return `must have no other keys than paths, invalid and when, such as ${other}`;
  }
  if (invalid !== 'refuse' && invalid !== 'anonymous') {
    return "must have 'refuse' or 'anonymous' as invalid";
  }
  if (when !== undefined && typeof when !== 'function') {
    return 'must have a function as when';
  }
  const problem = patternsProblem(paths);
  return problem && problem.replace(/^must be/, 'must have as paths');
}

function patternsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) {
    return 'must be a list of path patterns';
  }
  for (const [index, pattern] of value.entries()) {
    const problem = antPatternProblem(pattern);
    if (problem !== undefined) {
      const which = typeof pattern === 'string' ? JSON.stringify(pattern) : `number ${index + 1}`;
      return `has an invalid pattern: ${which} ${problem}`;
    }
  }
  return undefined;
}
