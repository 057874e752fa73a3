import { ForbiddenException, HttpException, UnauthorizedException } from '@nestjs/common';
import {
  AUTH_ERROR_MESSAGES,
  AuthErrorCode,
  type AuthErrorName,
  type ErrorCode,
  type OwnErrorCode,
  type OwnErrorCodes,
} from './auth-error-code.js';

export interface AuthExceptionOptions {
  /** Why, in one word that clients can react to: `expired`, `signature`, `malformed`, `logged-out`... */
  reason?: string | undefined;
  /** Advice for the caller, in place of the default message of the code. It never repeats the input. */
  message?: string | undefined;
  /** The roles, permissions or policies that a user lacks, or the factors to show again (40120). */
  missing?: readonly string[] | undefined;
  /** Seconds, sent as `Retry-After`. */
  retryAfter?: number | undefined;
  /**
   * More members of the answer, for example the `challenge` of 40112 or the `maxAge` of 40120 in seconds. The members
   * of `AuthErrorBody` cannot be replaced: `details` that are named like one of them are left out.
   */
  details?: Readonly<Record<string, unknown>> | undefined;
  /** The cause, for the application's own logs. Never part of the answer. */
  cause?: unknown;
}

/** For a code of `OwnErrorCodes`. */
export interface OwnErrorOptions extends AuthExceptionOptions {
  /** The name of the code. */
  error: keyof OwnErrorCodes;
  message: string;
}

/** The body of an error answer. `AuthExceptionOptions.details` can add members. */
export interface AuthErrorBody {
  statusCode: number;
  code: ErrorCode;
  error: AuthErrorName;
  message: string;
  reason?: string;
  missing?: readonly string[];
  /** With `kit-auth-languages`: a sentence for people. */
  text?: string;
  /** The language of the sentence, as a BCP 47 tag. */
  language?: string;
}

const STANDARD_MEMBERS: ReadonlySet<string> = new Set<keyof AuthErrorBody>([
  'statusCode',
  'code',
  'error',
  'message',
  'reason',
  'missing',
]);

const NAMES: Readonly<Record<number, string | undefined>> = AuthErrorCode;
const MESSAGES: Readonly<Record<number, string | undefined>> = AUTH_ERROR_MESSAGES;

/** Marks the exceptions of every copy of this package. */
const BRAND = Symbol.for('kit-auth.exception');

/**
 * The exception of the module. Extensions throw it to refuse a token, a login or a request.
 *
 * With the status 401 it is also an instance of Nest's `UnauthorizedException`, and with 403 of `ForbiddenException`,
 * so that filters and interceptors of the application for these exceptions apply.
 *
 * @example
 * throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'logged-out' });
 */
export class AuthException extends HttpException {
  readonly code: ErrorCode;
  readonly reason: string | undefined;
  readonly retryAfter: number | undefined;
  /** The URL of the metadata that tells clients where to get tokens (RFC 9728). The guard sets it. */
  declare resourceMetadata?: string | undefined;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === AuthException ? isBranded(value) : super[Symbol.hasInstance](value);
  }

  /** @throws RangeError for a number that no code can have */
  constructor(code: AuthErrorCode, options?: AuthExceptionOptions);
  constructor(code: OwnErrorCode, options: OwnErrorOptions);
  constructor(code: ErrorCode, options: AuthExceptionOptions | OwnErrorOptions = {}) {
    const name = NAMES[code];
    if (name === undefined && !isOwnCode(code)) {
      throw new RangeError(
        `${code} is no error code: 40050 to 40099, 40150 to 40199 and so on, up to 49999, are free`,
      );
    }
    const statusCode = Math.trunc(code / 100);
    const body: AuthErrorBody = {
      statusCode,
      code,
      error: (name ?? (options as OwnErrorOptions).error) as AuthErrorName,
      message: options.message ?? MESSAGES[code] ?? '',
      ...(options.reason !== undefined && { reason: options.reason }),
      ...(options.missing !== undefined && { missing: options.missing }),
      ...(options.details !== undefined && additional(options.details)),
    };
    super(body, statusCode, { cause: options.cause });
    this.code = code;
    this.reason = options.reason;
    this.retryAfter = options.retryAfter;
    if (new.target === AuthException) {
      Object.setPrototypeOf(this, classOf(code).prototype);
    }
  }

  protected get [BRAND](): true {
    return true;
  }

  /**
   * The headers that belong to the answer: `Cache-Control`, with 401 `WWW-Authenticate` (RFC 9110, RFC 6750, RFC 9470),
   * and `Retry-After` with `retryAfter`. The guard and the endpoints of the packages set them when they refuse. A
   * filter of the application needs them for exceptions that the application throws.
   */
  get headers(): Readonly<Record<string, string>> {
    return {
      'Cache-Control': 'no-store',
      ...(this.getStatus() === 401 && { 'WWW-Authenticate': `Bearer realm="kit-auth"${this.challenge()}` }),
      ...(this.retryAfter !== undefined && { 'Retry-After': String(this.retryAfter) }),
    };
  }

  private challenge(): string {
    switch (this.code) {
      case AuthErrorCode.TOKEN_MISSING:
        return this.metadata();
      case AuthErrorCode.TOKEN_INVALID:
        return `, error="invalid_token"${this.metadata()}`;
      case AuthErrorCode.FRESH_LOGIN_REQUIRED: {
        const { maxAge } = this.getResponse() as { maxAge?: unknown };
        const age = Number.isSafeInteger(maxAge) ? `, max_age="${maxAge as number}"` : '';
        return `, error="insufficient_user_authentication"${age}`;
      }
      default:
        return '';
    }
  }

  private metadata(): string {
    return this.resourceMetadata === undefined ? '' : `, resource_metadata="${this.resourceMetadata}"`;
  }

  /**
   * GraphQL servers copy this into their answer. Clients find the code in `extensions.originalError.code`, where
   * @nestjs/apollo also puts the bodies of exceptions.
   */
  get extensions(): { readonly originalError: string | object } {
    return { originalError: this.getResponse() };
  }

  /** Without a stack trace: it says nothing about a refused request, and costs more than the rest of the refusal. */
  static refusal(code: AuthErrorCode, options?: AuthExceptionOptions): AuthException;
  static refusal(code: OwnErrorCode, options: OwnErrorOptions): AuthException;
  static refusal(code: ErrorCode, options?: AuthExceptionOptions | OwnErrorOptions): AuthException {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return new (classOf(code))(code, options);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}

function isOwnCode(code: number): boolean {
  return Number.isInteger(code) && code >= 40_000 && code < 50_000 && code % 100 >= 50;
}

function additional(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !STANDARD_MEMBERS.has(name)));
}

function isBranded(value: unknown): boolean {
  return typeof value === 'object' && value !== null && BRAND in value;
}

interface RefusalClass {
  new (code: ErrorCode, options?: AuthExceptionOptions): AuthException;
  readonly prototype: AuthException;
}

/** Exceptions that are also instances of Nest's class for their status. Made by that class, they cost a quarter less. */
const CLASSES: ReadonlyMap<number, RefusalClass> = new Map(
  [[401, UnauthorizedException] as const, [403, ForbiddenException] as const].map(
    ([status, { prototype }]) => {
      class Refusal extends AuthException {}
      Object.defineProperties(Refusal.prototype, Object.getOwnPropertyDescriptors(AuthException.prototype));
      Object.setPrototypeOf(Refusal.prototype, prototype);
      return [status, Refusal as RefusalClass];
    },
  ),
);

const classOf = (code: number): RefusalClass =>
  CLASSES.get(Math.trunc(code / 100)) ?? (AuthException as RefusalClass);

/** Node's own response. */
export interface NodeResponse {
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
}

/** A reply of Fastify. Its headers take precedence over Node's. */
export interface Reply<T extends NodeResponse = NodeResponse> {
  readonly raw: T;
  header(name: string, value: string): unknown;
}

/** Node's response behind the platform's. Express extends it. */
export function nodeResponseOf<T extends NodeResponse>(response: T | Reply<T>): T {
  return 'raw' in response ? response.raw : response;
}

/**
 * Sets the headers of a refusal where it is made. They reach the client whichever filter writes the answer.
 *
 * On Fastify they are set on the reply. On Node's response they would cost more than the rest of a refusal, because Node then
 * merges them with those of the reply.
 *
 * @param error values other than an `AuthException` have no headers
 */
export function setRefusalHeaders(error: unknown, response: NodeResponse | Reply): void {
  if (error instanceof AuthException && !nodeResponseOf(response).headersSent) {
    const { headers } = error;
    for (const name of Object.keys(headers)) {
      setHeader(response, name, headers[name] as string);
    }
  }
}

/** Sets a header of the platform's response, which takes precedence over Node's. */
export function setHeader(response: NodeResponse | Reply, name: string, value: string): void {
  if ('raw' in response) {
    response.header(name, value);
  } else {
    response.setHeader(name, value);
  }
}

/**
 * 40101, without a stack trace.
 *
 * @param reason why, in one word that clients can react to
 */
export function invalidToken(reason?: string): AuthException {
  return AuthException.refusal(AuthErrorCode.TOKEN_INVALID, { reason });
}

/** 40000, without a stack trace. */
export function badRequest(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.BAD_REQUEST, { message });
}

/** 40300, without a stack trace. */
export function forbidden(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.FORBIDDEN, { message });
}

/** 40400, without a stack trace. @param what capitalized, because the message begins with it */
export function notFound(what: string): AuthException {
  return AuthException.refusal(AuthErrorCode.NOT_FOUND, { message: `${what} not found` });
}

/** 40900, without a stack trace. */
export function conflict(message: string, cause?: unknown): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, { message, cause });
}

/** 40010, without a stack trace. */
export function invalidLink(): AuthException {
  return AuthException.refusal(AuthErrorCode.LINK_INVALID);
}

/** 50300 with `Retry-After: 1`: a server does not answer, or other requests change the same row. Nothing was done. */
export function unavailable(cause?: unknown): AuthException {
  return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 1, cause });
}

/** A wait in milliseconds as `AuthExceptionOptions.retryAfter`: rounded up to seconds, at least 1. */
export function retryAfterOf(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** 50300: a queue is full. Nothing was done. */
export class TooBusyException extends AuthException {
  /** @param retryAfter in seconds */
  constructor(retryAfter: number) {
    super(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter });
  }
}

/** 50300: the client disconnected before its turn, so nothing was done. Other requests may share the lookup. */
export class ClientLeftException extends TooBusyException {
  constructor() {
    super(1);
  }
}

/**
 * 50300: an event of a change could not be stored, but the change was made, because the user store has no transactions.
 * The consequences of the change must still happen, such as the end of sessions.
 */
export class UnstoredEventException extends AuthException {
  /** @param result the result of the change */
  constructor(
    readonly result: unknown,
    cause: unknown,
  ) {
    super(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 1, cause });
  }
}

/** The application is configured incorrectly. `app.init()` and `app.listen()` reject with this error. */
export class IllegalStateException extends Error {
  override readonly name = 'IllegalStateException';
}
