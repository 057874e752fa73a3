import { AuthErrorCode } from './auth-error-code.js';
import { AuthException } from './auth.exception.js';

/** 50300: a queue is full. Nothing was done. */
export class TooBusyException extends AuthException {
  /** @param retryAfter in seconds */
  constructor(retryAfter: number) {
    super(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter });
  }
}

/** 50300: the client has left before it was its turn, so nothing was done. Others may share what it has asked for. */
export class ClientLeftException extends TooBusyException {
  constructor() {
    super(1);
  }
}
