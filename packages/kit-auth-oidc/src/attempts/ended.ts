import { AuthErrorCode, AuthException } from 'kit-auth';
import { externalLoginFailed } from '../contract/refusals.js';

/** Answers 40114 `state` for a one-time token that is not live. */
export async function endedIfInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AuthException && error.code === AuthErrorCode.LINK_INVALID
      ? externalLoginFailed('state')
      : error;
  }
}
