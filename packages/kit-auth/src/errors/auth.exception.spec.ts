import { describe, expect, it } from '@jest/globals';
import { ForbiddenException, UnauthorizedException } from '@nestjs/common';
import { AuthErrorCode } from './auth-error-code.js';
import {
  AuthException,
  badRequest,
  ClientLeftException,
  conflict,
  forbidden,
  IllegalStateException,
  invalidLink,
  invalidToken,
  notFound,
  type Reply,
  retryAfterOf,
  setRefusalHeaders,
  TooBusyException,
  UnstoredEventException,
} from './auth.exception.js';

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
    const standard = { statusCode: 200, code: 1, error: 'x', message: 'x', reason: 'x', missing: ['x'] };
    const bodyOf = (details?: Record<string, unknown>) =>
      new AuthException(AuthErrorCode.FORBIDDEN, details && { details }).getResponse() as object;
    expect(bodyOf({ ...standard, other: 1 })).toEqual({ ...bodyOf(), other: 1 });
  });

  it('belong to a code of the application, which is one of those that are free', () => {
    // Applications declare their codes, so its types take no others.
    const Exception = AuthException as new (code: number, options: object) => AuthException;
    const own = (code: number) => new Exception(code, { error: 'OWN', message: 'x' }).getResponse();
    for (const code of [40_050, 40_099, 49_950]) {
      expect(own(code)).toMatchObject({ code, error: 'OWN', statusCode: Math.trunc(code / 100) });
    }
    for (const code of [39_950, 40_049, 40_050.5, 50_050]) {
      expect(() => own(code)).toThrow(RangeError);
    }
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

describe('the headers of an AuthException', () => {
  const headers = (code: AuthErrorCode, options = {}) => new AuthException(code, options).headers;

  const RESOURCE = ', resource_metadata="https://a/b"';
  const unfresh = ', error="insufficient_user_authentication"';
  it.each<[string, AuthErrorCode, object, string]>([
    ['names the realm', AuthErrorCode.TOKEN_MISSING, {}, ''],
    ['says that a token is invalid', AuthErrorCode.TOKEN_INVALID, {}, ', error="invalid_token"'],
    [
      'asks for a fresh login',
      AuthErrorCode.FRESH_LOGIN_REQUIRED,
      { details: { maxAge: 600 } },
      `${unfresh}, max_age="600"`,
    ],
    [
      'asks for a fresh login of any age',
      AuthErrorCode.FRESH_LOGIN_REQUIRED,
      { details: { maxAge: '600' } },
      unfresh,
    ],
  ])('%s', (_what, code, options, challenge) => {
    expect(headers(code, options)).toEqual({
      'Cache-Control': 'no-store',
      'WWW-Authenticate': `Bearer realm="kit-auth"${challenge}`,
    });
  });

  it.each<[string, AuthErrorCode, string]>([
    ['no token', AuthErrorCode.TOKEN_MISSING, RESOURCE],
    ['a wrong token', AuthErrorCode.TOKEN_INVALID, `, error="invalid_token"${RESOURCE}`],
    ['an old login', AuthErrorCode.FRESH_LOGIN_REQUIRED, unfresh],
    ['wrong credentials', AuthErrorCode.LOGIN_FAILED, ''],
    ['no permission', AuthErrorCode.FORBIDDEN, ''],
  ])('name where to get tokens only to clients that need one: %s', (_what, code, challenge) => {
    for (const refusal of [new AuthException(code), AuthException.refusal(code)]) {
      const { body, headers } = { body: JSON.stringify(refusal.getResponse()), headers: refusal.headers };
      refusal.resourceMetadata = 'https://a/b';
      expect(refusal.headers['WWW-Authenticate']).toBe(
        refusal.getStatus() === 401 ? `Bearer realm="kit-auth"${challenge}` : undefined,
      );
      expect(JSON.stringify(refusal.getResponse())).toBe(body);
      refusal.resourceMetadata = undefined;
      expect(refusal.headers).toEqual(headers);
    }
  });

  it('challenge nobody who is logged in, and say when to come back', () => {
    expect(headers(AuthErrorCode.FORBIDDEN)).toEqual({ 'Cache-Control': 'no-store' });
    const later = headers(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 0 });
    expect(later).toEqual({ 'Cache-Control': 'no-store', 'Retry-After': '0' });
  });
});

describe('the headers of an answer', () => {
  const headersAfter = (error: unknown, headersSent = false) => {
    const headers: Record<string, string> = {};
    setRefusalHeaders(error, {
      headersSent,
      setHeader: (name: string, value: string) => void (headers[name] = value),
    });
    return headers;
  };

  it('are those of a refusal, unless they are on their way', () => {
    const refusal = new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 7 });
    expect(headersAfter(refusal)).toEqual({ 'Cache-Control': 'no-store', 'Retry-After': '7' });
    expect(headersAfter(refusal, true)).toEqual({});
  });

  it.each([new Error('x'), undefined, { headers: { a: 'b' } }])('are none for %p', (error) => {
    expect(headersAfter(error)).toEqual({});
  });
});

describe('a refusal of the packages', () => {
  const cause = new Error('unique index');

  it.each<[AuthException, object]>([
    [invalidToken('expired'), { code: 40101, reason: 'expired' }],
    [invalidToken(), { code: 40101, reason: undefined }],
    [badRequest('Send a list'), { code: 40000, message: 'Send a list' }],
    [forbidden('Not yours'), { code: 40300, message: 'Not yours' }],
    [notFound('User'), { code: 40400, message: 'User not found' }],
    [conflict('Taken', cause), { code: 40900, message: 'Taken', cause }],
    [invalidLink(), { code: 40010 }],
  ])('has a code, a message and no stack trace: %s', (refusal, expected) => {
    expect(refusal).toMatchObject(expected);
    expect(refusal.stack).not.toContain('\n    at ');
  });

  it('says when to come back, in whole seconds', () => {
    expect([0, 1, 1000, 1001, 7000, 60_001].map(retryAfterOf)).toEqual([1, 1, 1, 2, 7, 61]);
  });
});

describe('an exception of another kind', () => {
  it('says when to come back', () => {
    expect(new TooBusyException(9)).toMatchObject({ code: 50300, retryAfter: 9 });
    expect(new ClientLeftException()).toMatchObject({ code: 50300, retryAfter: 1 });
    const cause = new Error('full');
    const unstored = { code: 50300, retryAfter: 1, result: 'done', cause };
    expect(new UnstoredEventException('done', cause)).toMatchObject(unstored);
  });

  it('is named in logs', () => {
    expect(String(new IllegalStateException('x'))).toBe('IllegalStateException: x');
  });
});

describe('the class of an AuthException', () => {
  it('is that of the exceptions of another copy of the package', () => {
    const other = Object.create({ [Symbol.for('kit-auth.exception')]: true }) as object;
    expect(other instanceof AuthException).toBe(true);
  });

  it('is that of Nest for the status', () => {
    const missing = new AuthException(AuthErrorCode.TOKEN_MISSING);
    const forbidden = new AuthException(AuthErrorCode.FORBIDDEN);
    const typesOf = (error: unknown) =>
      [UnauthorizedException, ForbiddenException, AuthException].filter((type) => error instanceof type);
    expect(typesOf(missing)).toEqual([UnauthorizedException, AuthException]);
    expect(typesOf(forbidden)).toEqual([ForbiddenException, AuthException]);
    expect([{}, null, 'x'].flatMap(typesOf)).toEqual([]);
  });

  it.each([AuthErrorCode.TOKEN_MISSING, AuthErrorCode.FORBIDDEN, AuthErrorCode.AUTH_UNAVAILABLE])(
    'is the same for a refusal: %i',
    (code) => {
      const [refusal, made] = [AuthException.refusal(code), new AuthException(code)];
      expect(Object.getPrototypeOf(refusal)).toBe(Object.getPrototypeOf(made));
      expect([refusal.constructor, refusal.name]).toEqual([AuthException, 'AuthException']);
      expect(refusal.getResponse()).toEqual(made.getResponse());
    },
  );

  it('is its own where it is extended', () => {
    class Own extends AuthException {}
    const own = new Own(AuthErrorCode.TOKEN_MISSING);
    const types = [Own, AuthException, UnauthorizedException];
    expect(types.filter((type) => own instanceof type)).toEqual([Own, AuthException]);
    expect(new AuthException(AuthErrorCode.TOKEN_MISSING) instanceof Own).toBe(false);
  });

  it('has no stack trace for a refusal, and one otherwise', () => {
    const limit = Error.stackTraceLimit;
    expect(AuthException.refusal(AuthErrorCode.FORBIDDEN).stack).not.toContain('\n    at ');
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new AuthException(AuthErrorCode.FORBIDDEN).stack).toContain('\n    at ');
  });

  it('keeps its cause and reason', () => {
    const cause = new Error('x');
    const options = { cause, reason: 'expired', missing: ['a'] };
    const refusal = new AuthException(AuthErrorCode.TOKEN_INVALID, options);
    expect(refusal).toMatchObject({ cause, reason: 'expired', code: 40101 });
    expect(refusal.getResponse()).toMatchObject({ reason: 'expired', missing: ['a'], statusCode: 401 });
  });
});

describe('the headers of a refusal on Fastify', () => {
  /** A reply over a response of Node, as Fastify has them. */
  function replyOf(own: Record<string, string>, raw: Record<string, string>, headersSent = false) {
    const reply: Reply = {
      raw: { headersSent, setHeader: (name, value) => (raw[name] = value) },
      header: (name, value) => (own[name] = value),
    };
    return reply;
  }

  const open = { 'Cache-Control': 'public' };
  it.each([
    ['are on the reply', {}, {}],
    ['take precedence over what a middleware has set on the response of Node', {}, open],
    ['replace a Cache-Control of the application', open, {}],
  ])('%s', (_what, set, raw) => {
    const [own, before] = [{ ...set }, { ...raw }];
    const refusal = new AuthException(AuthErrorCode.TOO_MANY_ATTEMPTS, { retryAfter: 7 });
    setRefusalHeaders(refusal, replyOf(own, raw));
    expect(own).toEqual({ 'Cache-Control': 'no-store', 'Retry-After': '7' });
    expect(raw).toEqual(before);
  });

  it('are those of the last refusal', () => {
    const own = {};
    const reply = replyOf(own, {});
    setRefusalHeaders(new AuthException(AuthErrorCode.TOKEN_MISSING), reply);
    setRefusalHeaders(new AuthException(AuthErrorCode.TOKEN_INVALID), reply);
    setRefusalHeaders(new Error('no refusal'), reply);
    expect(own).toEqual({
      'Cache-Control': 'no-store',
      'WWW-Authenticate': 'Bearer realm="kit-auth", error="invalid_token"',
    });
  });

  it('are not set when the answer is on its way', () => {
    const own = {};
    setRefusalHeaders(new AuthException(AuthErrorCode.FORBIDDEN), replyOf(own, {}, true));
    expect(own).toEqual({});
  });
});
