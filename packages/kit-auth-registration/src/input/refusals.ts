import { AuthErrorCode, AuthException } from 'kit-auth';

export function badRequest(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.BAD_REQUEST, { message });
}

export function forbidden(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.FORBIDDEN, { message });
}

export function invalidLink(): AuthException {
  return AuthException.refusal(AuthErrorCode.LINK_INVALID);
}

export function taken(): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, { message: 'There is an account with this address' });
}
