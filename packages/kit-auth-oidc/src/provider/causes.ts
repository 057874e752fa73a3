import { types } from 'node:util';

/** Why a call to a provider failed: the status of its answer, or the code of an error. Neither is text of the provider. */
export function causeOf(error: unknown): string | undefined {
  const { cause } = error as Error;
  if (cause instanceof Response) {
    return `status ${cause.status}`;
  }
  if (!types.isNativeError(cause)) {
    return undefined;
  }
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : causeOf(cause);
}
