import { AuthErrorCode, AuthException } from 'kit-auth';

export function badRequest(message: string): AuthException {
  return new AuthException(AuthErrorCode.BAD_REQUEST, { message });
}

/** @param what in upper case, as the message begins with it */
export function notFound(what: string): AuthException {
  return new AuthException(AuthErrorCode.NOT_FOUND, { message: `${what} not found` });
}

export function conflict(message: string): AuthException {
  return new AuthException(AuthErrorCode.CONFLICT, { message });
}

/**
 * For an insert that failed: AuthException 40900 when the row exists by now, because somebody wrote to the table without
 * this package.
 */
export function conflictIf(
  exists: () => Promise<boolean>,
  message: string,
): (error: unknown) => Promise<never> {
  return async (error) => {
    const isConflict = !(error instanceof AuthException) && (await exists());
    throw isConflict ? conflict(message) : error;
  };
}
