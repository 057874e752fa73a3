import { Logger } from '@nestjs/common';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException, IllegalStateException } from '../errors/auth.exception.js';
import { describeError, stackOf } from '../errors/describe.js';

const logger = new Logger('KitAuth');

/**
 * What a caller gets when a contribution to a port throws: its own `AuthException`, or 50300 for anything else, which
 * is logged without the token.
 */
export function failureOf(error: unknown, what: string, token = ''): AuthException {
  if (error instanceof AuthException) {
    return error;
  }
  const hidden = (text: string) => (token === '' ? text : text.replaceAll(token, '<token>'));
  logger.error(`[auth] ${what} failed: ${hidden(describeError(error))}`, ...stackOf(error));
  // Configuration errors are permanent, so no `Retry-After`.
  const retryAfter = error instanceof IllegalStateException ? undefined : 1;
  return new AuthException(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter, cause: error });
}

/** Runs a call to a contribution. @throws AuthException as `failureOf` */
export async function attempting<T>(what: string, work: () => Promise<T>, token?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error, what, token);
  }
}
