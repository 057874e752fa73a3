import { AuthErrorCode, AuthException } from 'kit-auth';

export function badRequest(message: string): AuthException {
  return new AuthException(AuthErrorCode.BAD_REQUEST, { message });
}

export function notFound(what: string): AuthException {
  return new AuthException(AuthErrorCode.NOT_FOUND, { message: `There is no such ${what}` });
}

export function conflict(message: string): AuthException {
  return new AuthException(AuthErrorCode.CONFLICT, { message });
}

export function forbidden(message: string): AuthException {
  return new AuthException(AuthErrorCode.FORBIDDEN, { message });
}
