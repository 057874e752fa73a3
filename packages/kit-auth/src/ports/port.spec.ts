import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { attempting, failureOf } from './port.js';

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
