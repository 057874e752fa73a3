import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { attempting, failureOf, isFactors } from './port.js';

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
