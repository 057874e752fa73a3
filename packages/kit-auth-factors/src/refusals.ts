import { AuthErrorCode, AuthException } from 'kit-auth';

/** The same answer for every wrong code: it must not tell whether the code was used, is of another user, or malformed. */
export function wrongCode(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED);
}

export function challengeEnded(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED, {
    reason: 'challenge-ended',
    message: 'This login attempt has ended. Start again with the password',
  });
}

export function badRequest(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.BAD_REQUEST, { message });
}

export function conflict(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, { message });
}

export function notFound(what: 'Factor' | 'User'): AuthException {
  return AuthException.refusal(AuthErrorCode.NOT_FOUND, { message: `${what} not found` });
}
