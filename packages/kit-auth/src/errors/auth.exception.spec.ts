import { describe, expect, it } from '@jest/globals';
import { AuthErrorCode } from './auth-error-code.js';
import { AuthException } from './auth.exception.js';

describe('the details of an AuthException', () => {
  it('are members of the answer', () => {
    const details = { challenge: 'c', factors: ['totp'] };
    expect(new AuthException(AuthErrorCode.SECOND_FACTOR_REQUIRED, { details }).getResponse()).toEqual({
      statusCode: 401,
      code: 40112,
      error: 'SECOND_FACTOR_REQUIRED',
      message: 'A second factor is required',
      ...details,
    });
  });

  it('replace no standard member, whether it is present or not', () => {
    const details = {
      statusCode: 200,
      code: 1,
      error: 'x',
      message: 'x',
      reason: 'x',
      missing: ['x'],
      other: 1,
    };
    const plain = new AuthException(AuthErrorCode.FORBIDDEN).getResponse() as object;
    expect(new AuthException(AuthErrorCode.FORBIDDEN, { details }).getResponse()).toEqual({
      ...plain,
      other: 1,
    });
  });

  it('change no prototype', () => {
    const details = JSON.parse('{"__proto__":{"code":1}}') as object as Record<string, unknown>;
    const body = new AuthException(AuthErrorCode.FORBIDDEN, { details }).getResponse();
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });
});

describe('the extensions for GraphQL', () => {
  it('have the body of the answer, and belong to no log line', () => {
    for (const code of [AuthErrorCode.TOKEN_MISSING, AuthErrorCode.FORBIDDEN, AuthErrorCode.CONFLICT]) {
      const exception = new AuthException(code);
      expect(exception.extensions).toEqual({ originalError: exception.getResponse() });
      expect(Object.keys(exception)).not.toContain('extensions');
    }
  });
});
