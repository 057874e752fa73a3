import { HttpException } from '@nestjs/common';
import { AUTH_ERROR_MESSAGES, AuthErrorCode, type AuthErrorName } from './auth-error-code.js';

export interface AuthExceptionOptions {
  /** Why, in one word a client can act on: `expired`, `signature`, `malformed`, `logged-out`... */
  reason?: string | undefined;
  /** What the caller should do, in place of the code's own message. Never what was sent. */
  message?: string | undefined;
  /** The roles, permissions or policies that a user lacks. */
  missing?: readonly string[] | undefined;
  /** Seconds, sent as `Retry-After`. */
  retryAfter?: number | undefined;
  /** For the application's own logs; never part of the answer. */
  cause?: unknown;
}

/** The body of every error answer of the module. */
export interface AuthErrorBody {
  statusCode: number;
  code: AuthErrorCode;
  error: AuthErrorName;
  message: string;
  reason?: string;
  missing?: readonly string[];
}

/** The one exception of the module. `new AuthException(AuthErrorCode.TOKEN_INVALID)` says "invalid". */
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
    };
    super(body, statusCode, { cause: options.cause });
    this.code = code;
    this.reason = options.reason;
    this.retryAfter = options.retryAfter;
  }

  /** Without a stack, which tells nothing where a request is refused and costs more than all else of a refusal. */
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
