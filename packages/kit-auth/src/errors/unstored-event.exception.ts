import { AuthErrorCode } from './auth-error-code.js';
import { AuthException } from './auth.exception.js';

/**
 * 50300: one of the events of a change could not be stored, and the change is made all the same, because the user store
 * has no transactions. What follows from the change has to happen, too, such as the end of sessions.
 */
export class UnstoredEventException extends AuthException {
  /** @param result of the change */
  constructor(
    readonly result: unknown,
    cause: unknown,
  ) {
    super(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 1, cause });
  }
}
