import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { AuthErrorCode, AuthException, type LoginProof, type LoginUser, type UserId } from 'kit-auth';

/** Texts that are no token. */
export const NOISE: readonly string[] = [
  ...['', ' ', 'x', '.', '..', '...', 'undefined', 'null', '[object Object]', '{}', '0', '-1', 'a.b.c'],
  ...[
    'Bearer x',
    '\0',
    '\n',
    '\ud800',
    'caf\u00e9',
    '%00',
    '../..',
    "' OR 1=1 --",
    '__proto__',
    'constructor',
  ],
  ...['a'.repeat(10_000), '.'.repeat(10_000)],
];

/** RFC 6750 section 2.1, b64token. */
export const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
export const LOGIN_ID = /^[\w.-]{1,64}$/;

/** Asserts that a call is refused with 40101, and with a reason if there is one. */
export async function assertRefused(call: () => unknown, what: string, reason?: string): Promise<void> {
  await assert.rejects(
    async () => call(),
    (error) =>
      error instanceof AuthException &&
      error.code === AuthErrorCode.TOKEN_INVALID &&
      (reason === undefined || error.reason === reason),
    `not refused with 40101${reason === undefined ? '' : ` ${reason}`}: ${what}`,
  );
}

/** Asserts that a call succeeds, or is refused with an `AuthException`. @returns what it returned */
export async function assertNoCrash<T>(call: () => T | Promise<T>, what: string): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    assert.ok(
      error instanceof AuthException,
      `threw something else than an AuthException: ${what}: ${String(error)}`,
    );
    return undefined;
  }
}

/** Asserts that every token that differs in one character is refused. @param from the first character to change */
export async function assertNoneAlike(
  token: string,
  resolve: (token: string) => unknown,
  from = 0,
): Promise<void> {
  for (let at = from; at < token.length; at++) {
    const other = token[at] === 'A' ? 'B' : 'A';
    for (const changed of [
      token.slice(0, at) + other + token.slice(at + 1),
      token.slice(0, at) + token.slice(at + 1),
    ]) {
      await assertRefused(() => resolve(changed), `its own token with character ${at} changed or removed`);
    }
  }
  for (const added of ['A', '=', '.', ' ', '\n', '\0']) {
    await assertRefused(() => resolve(token + added), `its own token with ${JSON.stringify(added)} added`);
  }
}

/** Compares by way of JSON: a test runner may have arrays of another realm. */
export function assertSame(actual: unknown, expected: unknown): void {
  assert.deepEqual(plain(actual), plain(expected));
}

/** Asserts that a value is a complete `LoginUser`. */
export function assertLoginUser(user: LoginUser | undefined, idType: 'number' | 'string'): void {
  assert.ok(user, 'there is no user');
  const types = { userId: idType, username: 'string', nickname: 'string', superAdmin: 'boolean' } as const;
  for (const field of ['userId', 'username', 'nickname', 'superAdmin'] as const) {
    assert.equal(typeof user[field], types[field], `${field} is a ${types[field]}`);
  }
  for (const field of ['roles', 'permissions'] as const) {
    const names: unknown = user[field];
    assert.ok(
      Array.isArray(names) && names.every((name) => typeof name === 'string'),
      `${field} is a list of texts, and not ${inspect(names)}`,
    );
  }
}

/** Asserts that a value is a `LoginProof`. */
export function assertProof({ loginId, factors, expiresAt }: LoginProof): void {
  for (const [factor, time] of Object.entries(factors)) {
    assert.ok(Number.isSafeInteger(time) && time >= 0, `the time of ${factor} is in whole seconds`);
    assert.ok(
      time <= Date.now() / 1000 + 60,
      `the time of ${factor} is in seconds since 1970, and not in the future`,
    );
  }
  assert.ok(loginId === undefined || LOGIN_ID.test(loginId));
  assert.ok(expiresAt === undefined || Number.isSafeInteger(expiresAt));
}

/** An id of the same type that belongs to nobody else in a test. */
export function otherIdThan(userId: UserId): UserId {
  return (typeof userId === 'number' ? userId + 1 : `${userId as string}x`) as UserId;
}

export function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** Runs work while `Date.now()` is ahead. */
export async function later<T>(seconds: number, work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now.call(Date) + seconds * 1000;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
