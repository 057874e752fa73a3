import { AuthErrorCode, AuthException } from 'kit-auth';
import { invalidLink } from '../refusals.js';

/** For a change that is based on the stamp of a token. @throws AuthException 40010 when the user has another one by now */
export async function orInvalidLink(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    throw error instanceof AuthException && error.code === AuthErrorCode.CONFLICT ? invalidLink() : error;
  }
}
