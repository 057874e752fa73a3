import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { AUTH_CREDENTIAL } from '../contract/auth-credential.js';
import { AUTH_EVENT_SINK } from '../contract/auth-event.js';
import { AUTH_LOGINS } from '../contract/auth-logins.js';
import { AUTH_MESSAGES } from '../contract/auth-messages.js';
import { AUTH_PROVIDER } from '../contract/auth-provider.js';
import { LOGIN_END_LISTENER } from '../contract/login-end.js';
import { AUTH_FACTOR } from '../contract/factor.js';
import { LOGIN_STEP } from '../contract/login-step.js';
import { PASSWORD_HASHER } from '../contract/password-hasher.js';
import { KIT_AUTH_SETTINGS } from '../contract/settings.js';
import { TOKEN_TRANSPORT } from '../contract/token-transport.js';
import { AUTH_USER_STORE } from '../contract/user-store.js';
import {
  attempting,
  BOOLEAN,
  failureOf,
  isFactors,
  LIST,
  NON_EMPTY_STRING,
  NOTHING,
  OBJECT,
  objectWith,
  orUndefined,
  type Returned,
  STRING,
  STRINGS,
} from './port.js';

describe('failureOf', () => {
  const error = jest.fn<(line: string) => void>();

  beforeEach(() => {
    error.mockClear();
    Logger.overrideLogger({ error, log: () => undefined, warn: () => undefined });
  });
  afterEach(() => Logger.overrideLogger(false));

  it('passes an AuthException on, and logs nothing', async () => {
    const refusal = new AuthException(AuthErrorCode.TOKEN_INVALID);
    expect(failureOf(refusal, 'x')).toBe(refusal);
    await expect(attempting('x', () => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(error).not.toHaveBeenCalled();
  });

  it('stands for what the work of a contribution throws', async () => {
    const cause = new Error('katr_1 is down');
    const failing = attempting('resolve()', () => Promise.reject(cause), 'katr_1');
    await expect(failing).rejects.toMatchObject({ code: 50300, cause });
    await expect(attempting('resolve()', async () => 7)).resolves.toBe(7);
    expect(error.mock.calls.map(([line]) => line)).toEqual([
      '[auth] resolve() failed: Error: <token> is down',
    ]);
  });

  it('replaces every copy of the token in the log', () => {
    const cause = new Error('no katr_1 in katr_1, katr_2');
    expect(failureOf(cause, 'resolve()', 'katr_1')).toMatchObject({ code: 50300, retryAfter: 1, cause });
    expect(error.mock.calls.map(([line]) => line)).toEqual([
      '[auth] resolve() failed: Error: no <token> in <token>, katr_2',
    ]);
  });

  it('leaves the message alone where there is no token', () => {
    failureOf(new Error('ab'), 'x');
    expect(error.mock.calls[0]?.[0]).toBe('[auth] x failed: Error: ab');
  });

  it('names no time to retry for a wrong configuration', () => {
    expect(failureOf(new IllegalStateException('x'), 'x').retryAfter).toBeUndefined();
  });
});

describe('the factors of a proof', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]));

  it.each<[unknown]>([[{}], [{ password: 0 }], [{ ['a'.repeat(32)]: 1 }], [{ 'a-b_1': 1 }], [many(16)]])(
    'can be %p',
    (factors) => expect(isFactors(factors)).toBe(true),
  );

  it.each<[unknown]>([
    [undefined],
    [null],
    [7],
    [[]],
    [{ password: -1 }],
    [{ password: 1.5 }],
    [{ password: '1' }],
    [{ '': 1 }],
    [{ ['a'.repeat(33)]: 1 }],
    [{ 'a b': 1 }],
    [{ prototype: 1 }],
    [{ constructor: 1 }],
    [{ toString: 1 }],
    [{ good: 1, bad: -1 }],
    [many(17)],
  ])('cannot be %p', (factors) => expect(isFactors(factors)).toBe(false));
});

describe('what a method has to return', () => {
  const object = { a: {}, b: {} };
  const pair = objectWith('a pair', 'a', 'b');

  it.each<[string, Returned, unknown[], unknown[]]>([
    ['nothing', NOTHING, [undefined], [null, false, {}]],
    ['a boolean', BOOLEAN, [true, false], [undefined, null, 0, 'true']],
    ['a string', STRING, ['', 'x'], [undefined, 7, ['x']]],
    ['a non-empty string', NON_EMPTY_STRING, ['x'], ['', undefined, 7]],
    ['strings', STRINGS, [[], ['x', 'y']], [undefined, 'x', ['x', 7], { every: () => true }]],
    ['a list', LIST, [[], [7]], [undefined, 'x', {}]],
    ['an object', OBJECT, [{}, new Error('x')], [undefined, null, [], 'x']],
    ['an object with members', pair, [object], [{}, { a: {} }, { b: {} }, { ...object, b: 7 }, [], null]],
    ['a boolean or undefined', orUndefined(BOOLEAN), [true, false, undefined], [null, 'x']],
  ])('can be %s', (_what, { fits }, right, wrong) => {
    expect(right.map(fits)).toEqual(right.map(() => true));
    expect(wrong.map(fits)).toEqual(wrong.map(() => false));
  });
});

describe('the injection tokens', () => {
  it.each([
    [AUTH_CREDENTIAL, 'credential'],
    [AUTH_EVENT_SINK, 'event-sink'],
    [AUTH_FACTOR, 'factor'],
    [AUTH_LOGINS, 'logins'],
    [AUTH_MESSAGES, 'messages'],
    [AUTH_PROVIDER, 'provider'],
    [LOGIN_END_LISTENER, 'login-end-listener'],
    [LOGIN_STEP, 'login-step'],
    [PASSWORD_HASHER, 'password-hasher'],
    [KIT_AUTH_SETTINGS, 'settings'],
    [TOKEN_TRANSPORT, 'token-transport'],
    [AUTH_USER_STORE, 'user-store'],
  ])('are the same in every copy of the package: %p', (token, name) => {
    expect(token).toBe(Symbol.for(`kit-auth.${name}`));
  });
});
