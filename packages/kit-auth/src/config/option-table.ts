import { availableParallelism } from 'node:os';
import { antPatternProblem } from '../routes/ant-pattern.js';

export interface OptionRow {
  /** Where the option sits under `kit.auth`. */
  readonly key: string;
  /** How messages call it, where that is not the key. */
  readonly name?: string;
  /** How the environment spells a value of it; it cannot spell a function. */
  readonly kind: 'boolean' | 'integer' | 'boolean or integer' | 'string' | 'list' | 'function';
  readonly fallback: unknown;
  /** What is wrong with a value, in words that never repeat it. */
  readonly problem: (value: unknown) => string | undefined;
}

/** A placeholder, the same as the default username. */
export const BUILT_IN_ADMIN_PASSWORD = 'admin';
/** bcrypt reads no further. */
export const MAX_PASSWORD_BYTES = 72;
/** A hash of this cost takes seconds. */
export const MAX_PASSWORD_COST = 15;
export const MAX_USERNAME_LENGTH = 255;

const UNUSABLE_HEADERS = new Set([
  ...['connection', 'content-length', 'content-type', 'cookie', 'host', 'set-cookie', 'transfer-encoding'],
  ...Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
]);

function defaultConcurrency(): number {
  const poolThreads = Number.parseInt(process.env['UV_THREADPOOL_SIZE'] ?? '4', 10) || 4;
  return Math.max(1, Math.min(availableParallelism(), poolThreads) - 1);
}

/** A key that others begin with is a group: given as an object, or switched as a whole. It comes before them. */
export const OPTION_TABLE: readonly OptionRow[] = [
  { key: 'enabled', kind: 'boolean', fallback: true, problem: booleanProblem },
  { key: 'tokenHeader', kind: 'string', fallback: 'Authorization', problem: headerProblem },
  { key: 'tokenPrefix', kind: 'string', fallback: 'Bearer ', problem: prefixProblem },
  { key: 'defaultAdminUsername', kind: 'string', fallback: 'admin', problem: usernameProblem },
  {
    key: 'defaultAdminPassword',
    kind: 'string',
    fallback: BUILT_IN_ADMIN_PASSWORD,
    problem: passwordProblem,
  },
  {
    key: 'whiteList',
    name: 'white-list (whiteList)',
    kind: 'list',
    fallback: [],
    problem: whiteListProblem,
  },
  { key: 'jwt.secret', kind: 'string', fallback: undefined, problem: secretProblem },
  // A year: a longer life is a mistake in the unit, and keeps the arithmetic on seconds exact.
  { key: 'jwt.expireMinutes', kind: 'integer', fallback: 720, problem: integer(1, 525_600) },
  { key: 'jwt.checkStamp', kind: 'boolean or integer', fallback: false, problem: checkStampProblem },
  { key: 'password.cost', kind: 'integer', fallback: 12, problem: integer(10, MAX_PASSWORD_COST) },
  { key: 'password.concurrency', kind: 'integer', fallback: defaultConcurrency(), problem: integer(1, 128) },
  { key: 'password.queue', kind: 'integer', fallback: 64, problem: integer(0, 10_000) },
  { key: 'password.minLength', kind: 'integer', fallback: 8, problem: integer(8, 64) },
  { key: 'access.requireDecision', kind: 'boolean', fallback: false, problem: switchProblem },
  { key: 'login.databaseTimeoutMs', kind: 'integer', fallback: 3000, problem: integer(1, 60_000) },
  { key: 'login.throttle', kind: 'boolean', fallback: true, problem: switchProblem },
  { key: 'login.throttle.failures', kind: 'integer', fallback: 5, problem: integer(1, 100) },
  { key: 'login.throttle.addressFailures', kind: 'integer', fallback: 5, problem: integer(1, 1_000_000) },
  { key: 'login.throttle.maxWaitSeconds', kind: 'integer', fallback: 900, problem: integer(1, 86_400) },
  { key: 'login.throttle.limiter', kind: 'function', fallback: undefined, problem: functionProblem },
];

function booleanProblem(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be the boolean true or false';
}

/** Of a group of options that can be switched off. */
function switchProblem(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be an object or the boolean true or false';
}

function functionProblem(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function';
}

function integer(min: number, max: number) {
  return (value: unknown) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;
}

function checkStampProblem(value: unknown): string | undefined {
  return typeof value === 'boolean' || integer(0, 3600)(value) === undefined
    ? undefined
    : 'must be a boolean, or a whole number of seconds from 0 to 3600';
}

function headerProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value)) {
    return 'must be a header name (RFC 9110 section 5.1)';
  }
  return UNUSABLE_HEADERS.has(value.toLowerCase()) ? 'names a header that cannot carry a token' : undefined;
}

function prefixProblem(value: unknown): string | undefined {
  // Node trims a header value, so a prefix of white space could never be met.
  return typeof value === 'string' && /^(?:[!-~][ -~]*)?$/.test(value)
    ? undefined
    : 'must be printable ASCII that does not begin with a space, or empty';
}

function usernameProblem(value: unknown): string | undefined {
  if (!isFilledText(value)) {
    return 'must be a non-blank string';
  }
  if (value.length > MAX_USERNAME_LENGTH) {
    return `must have at most ${MAX_USERNAME_LENGTH} characters`;
  }
  return /\p{Cc}/u.test(value) ? 'must not have control characters' : undefined;
}

function passwordProblem(value: unknown): string | undefined {
  if (!isFilledText(value)) {
    return 'must be a non-blank string';
  }
  return Buffer.byteLength(value) > MAX_PASSWORD_BYTES
    ? `must have at most ${MAX_PASSWORD_BYTES} bytes, because bcrypt reads no further`
    : undefined;
}

function secretProblem(value: unknown): string | undefined {
  if (!isFilledText(value)) {
    return 'must be a non-blank string';
  }
  return value.includes('-----BEGIN ') ? 'must be a shared secret, not a PEM key' : undefined;
}

function whiteListProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) {
    return 'must be a list of path patterns';
  }
  for (const [index, pattern] of value.entries()) {
    const problem = antPatternProblem(pattern);
    if (problem !== undefined) {
      const which = typeof pattern === 'string' ? JSON.stringify(pattern) : `number ${index + 1}`;
      return `has a pattern that cannot be used: ${which} ${problem}`;
    }
  }
  return undefined;
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.isWellFormed();
}
