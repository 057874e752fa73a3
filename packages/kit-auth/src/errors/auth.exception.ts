import { HttpException } from '@nestjs/common';
import { AUTH_ERROR_MESSAGES, AuthErrorCode, type AuthErrorName } from './auth-error-code.js';

export interface AuthExceptionOptions {
  /** Why, in one word that clients can react to: `expired`, `signature`, `malformed`, `logged-out`... */
  reason?: string | undefined;
  /** What the caller should do, instead of the default message of the code. Never what was sent. */
  message?: string | undefined;
  /** The roles, permissions or policies that a user lacks. */
  missing?: readonly string[] | undefined;
  /** Seconds, sent as `Retry-After`. */
  retryAfter?: number | undefined;
  /**
   * More members of the answer, for example the `challenge` of 40112. The members of `AuthErrorBody` cannot be
   * replaced: `details` that are named like one of them are left out.
   */
  details?: Readonly<Record<string, unknown>> | undefined;
  /** For the application's own logs. Never part of the answer. */
  cause?: unknown;
}

/** The body of an error answer. `AuthExceptionOptions.details` can add members. */
export interface AuthErrorBody {
  statusCode: number;
  code: AuthErrorCode;
  error: AuthErrorName;
  message: string;
  reason?: string;
  missing?: readonly string[];
}

const STANDARD_MEMBERS: ReadonlySet<string> = new Set<keyof AuthErrorBody>([
  ...(['statusCode', 'code', 'error', 'message', 'reason', 'missing'] as const),
]);

/**
 * The exception of the module. Extensions throw it to refuse a token, a login or a request.
 *
 * @example
 * throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'logged-out' });
 */
export class AuthException extends HttpException {
  readonly code: AuthErrorCode;
  readonly reason: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: AuthErrorCode, options: AuthExceptionOptions = {}) {
    const statusCode = Math.trunc(code / 100);
    const body: AuthErrorBody = {
      statusCode,
      code,
      error: AuthErrorCode[code] as AuthErrorName,
      message: options.message ?? AUTH_ERROR_MESSAGES[code],
      ...(options.reason !== undefined && { reason: options.reason }),
      ...(options.missing !== undefined && { missing: options.missing }),
      ...(options.details !== undefined && additional(options.details)),
    };
    super(body, statusCode, { cause: options.cause });
    this.code = code;
    this.reason = options.reason;
    this.retryAfter = options.retryAfter;
  }

  /** Without a stack trace: it says nothing about a refused request, and costs more than the rest of the refusal. */
  static refusal(code: AuthErrorCode, options?: AuthExceptionOptions): AuthException {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return new AuthException(code, options);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }
}

function additional(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !STANDARD_MEMBERS.has(name)));
}
