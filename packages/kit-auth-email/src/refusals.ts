import { AuthErrorCode, AuthException } from 'kit-auth';

export function conflict(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.CONFLICT, { message });
}

export function addressTaken(): AuthException {
  return conflict('The address is taken');
}

export function invalidLink(): AuthException {
  return AuthException.refusal(AuthErrorCode.LINK_INVALID);
}
