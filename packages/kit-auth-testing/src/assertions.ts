import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual, types } from 'node:util';
import { AuthErrorCode, AuthException, type LoginProof, type LoginUser, type UserId } from 'kit-auth';
import { dataProblem, MAX_TOKEN_LENGTH } from 'kit-auth/login';

/** Strings that are not valid tokens. */
export const NOISE: readonly string[] = [
  '',
  ' ',
  'x',
  '.',
  '..',
  '...',
  'undefined',
  'null',
  '[object Object]',
  '{}',
  '0',
  '-1',
  'a.b.c',
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
  'a'.repeat(10_000),
  '.'.repeat(10_000),
];

/** RFC 6750 section 2.1, b64token. */
export const B64_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
export const LOGIN_ID = /^[\w.-]{1,64}$/;

/** @param message what the contract expects, and what was seen: `expected ..., but ...` */
export function assertThat(condition: unknown, message: string): asserts condition {
  if (condition !== true) {
    throw new AssertionError({ message, stackStartFn: assertThat });
  }
}

/**
 * Asserts a value, member by member. Members that are undefined count as absent, because a contribution may omit them.
 *
 * @param what names the value in the message: `the result of end() for a session that is over`
 */
export function assertSame(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(plain(actual), plain(expected))) {
    const message = `expected ${what} to be ${shown(expected)}, but it is ${shown(actual)}`;
    throw new AssertionError({ message, stackStartFn: assertSame });
  }
}

/** Asserts that a value is one of several. */
export function assertOneOf(actual: unknown, expected: readonly unknown[], what: string): void {
  const isExpected = expected.some((candidate) => isDeepStrictEqual(plain(actual), plain(candidate)));
  const list = expected.map(shown).join(' or ');
  assertThat(isExpected, `expected ${what} to be ${list}, but it is ${shown(actual)}`);
}

/** Asserts that a call succeeds. @returns what it returned */
export async function assertAccepted<T>(call: () => T | Promise<T>, what: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    assertThat(false, `expected ${what} to be accepted, but it ${outcomeOf(error)}`);
  }
}

/** Asserts that a call is refused with a code, by default 40101, and with a reason if there is one. */
export async function assertRefused(
  call: () => unknown,
  what: string,
  reason?: string,
  code = AuthErrorCode.TOKEN_INVALID,
): Promise<void> {
  const because = reason === undefined ? '' : ` and the reason '${reason}'`;
  const expected = `expected ${what} to be refused with an AuthException ${code} (${AuthErrorCode[code]})${because}`;
  let error: unknown;
  try {
    await call();
  } catch (thrown) {
    error = thrown ?? 'undefined';
  }
  assertThat(error !== undefined, `${expected}, but it was accepted`);
  const isExpected =
    error instanceof AuthException &&
    error.code === code &&
    (reason === undefined || error.reason === reason);
  assertThat(isExpected, `${expected}, but it ${outcomeOf(error)}`);
}

/** Asserts that a call succeeds, or is refused with an `AuthException`. @returns what it returned */
export async function assertNoCrash<T>(call: () => T | Promise<T>, what: string): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    assertAuthException(error, what);
    return undefined;
  }
}

/** Asserts that an error is an `AuthException`. @param what the refused call */
export function assertAuthException(error: unknown, what: string): asserts error is AuthException {
  assertThat(
    error instanceof AuthException,
    `expected ${what} to be accepted, or refused with an AuthException, but it threw ${described(error)}`,
  );
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
      await assertRefused(() => resolve(changed), `a valid token with character ${at} changed or removed`);
    }
  }
  for (const added of ['A', '=', '.', ' ', '\n', '\0']) {
    await assertRefused(() => resolve(token + added), `a valid token with ${JSON.stringify(added)} added`);
  }
}

/** Asserts that a value can be sent as JSON. */
export function assertJson(value: unknown, what: string): void {
  try {
    JSON.stringify(value);
  } catch (error) {
    assertThat(false, `expected ${what} to be JSON, but it cannot be converted: ${described(error)}`);
  }
}

/** Asserts that a value is a complete `LoginUser`. */
export function assertLoginUser(
  user: LoginUser | null | undefined,
  idType: 'number' | 'string',
): asserts user {
  assertThat(
    typeof user === 'object' && user !== null,
    `expected a LoginUser, but there is no user: ${shown(user)}`,
  );
  const wanted = { userId: idType, username: 'string', nickname: 'string', superAdmin: 'boolean' } as const;
  for (const field of ['userId', 'username', 'nickname', 'superAdmin'] as const) {
    const value = user[field];
    assertThat(
      typeof value === wanted[field],
      `expected a LoginUser whose ${field} is a ${wanted[field]}, and not ${shown(value)}`,
    );
  }
  for (const field of ['roles', 'permissions'] as const) {
    const names: unknown = user[field];
    assertThat(
      Array.isArray(names) && names.every((name) => typeof name === 'string'),
      `expected a LoginUser whose ${field} is a list of strings, and not ${shown(names)}`,
    );
  }
  const problem = dataProblem(user.data);
  assertThat(problem === undefined, `expected a LoginUser with data of JSON values, and not one ${problem}`);
}

/** Asserts that a value is a `LoginProof`. */
export function assertProof({ loginId, factors, expiresAt }: LoginProof): void {
  for (const [factor, time] of Object.entries(factors)) {
    assertThat(
      Number.isSafeInteger(time) && time >= 0 && time <= Date.now() / 1000 + 60,
      `expected the time of the factor ${factor} in a proof to be in whole seconds since 1970, and not in the future, ` +
        `but it is ${shown(time)}`,
    );
  }
  assertThat(
    loginId === undefined || LOGIN_ID.test(loginId),
    `expected the loginId of a proof to be 1 to 64 letters, digits, "_", "." or "-", but it is ${shown(loginId)}`,
  );
  assertThat(
    expiresAt === undefined || Number.isSafeInteger(expiresAt),
    `expected expiresAt of a proof to be in whole seconds since 1970, but it is ${shown(expiresAt)}`,
  );
}

/** Asserts that tokens are unique, and that a header can carry each of them. */
export function assertTokens(tokens: readonly string[]): void {
  assertSame(new Set(tokens).size, tokens.length, `the number of different tokens among ${tokens.length}`);
  for (const token of tokens) {
    assertThat(
      typeof token === 'string' && B64_TOKEN.test(token) && token.length < MAX_TOKEN_LENGTH,
      'expected a token to consist of letters, digits and -._~+/ (RFC 6750, section 2.1), with fewer than ' +
        `${MAX_TOKEN_LENGTH} characters, but it is ${shown(token)}`,
    );
  }
}

/** An id of the same type that no other user of a test has. */
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

/** Formats a value for messages. */
export function shown(value: unknown): string {
  return inspect(value, { breakLength: Infinity, depth: 3, maxArrayLength: 10, maxStringLength: 200 });
}

function outcomeOf(error: unknown): string {
  return `${error instanceof AuthException ? 'was refused with' : 'threw'} ${described(error)}`;
}

/** Describes a thrown value for messages. */
export function described(error: unknown): string {
  if (error instanceof AuthException) {
    const { code, reason } = error;
    const because = reason === undefined ? 'no reason' : `the reason '${reason}'`;
    return `an AuthException ${code} (${AuthErrorCode[code]}) and ${because}`;
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : shown(error);
}

/** Removes undefined members and classes, because a test runner may have arrays of another realm. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    return Array.from(value, plain);
  }
  if (types.isDate(value)) {
    return new Date(value.getTime());
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]));
}
