import { AuthErrorCode, AuthException } from 'kit-auth';

/** The `reason` of 40114. */
export type ExternalLoginReason =
  /** The user refused at the provider. */
  | 'denied'
  /** The attempt has ended, or belongs to another browser or another login. */
  | 'state'
  /** The provider answered with an error, or with something invalid. */
  | 'provider'
  /** The identity is unknown and has no verified address. */
  | 'unverified'
  /** The identity is unknown, and sign-up is off. */
  | 'no-account'
  /** The identity is unknown, and the policy refuses it. */
  | 'not-allowed';

/** 40114. */
export function externalLoginFailed(reason: ExternalLoginReason): AuthException {
  return AuthException.refusal(AuthErrorCode.EXTERNAL_LOGIN_FAILED, { reason });
}

/** 50100. */
export function notImplemented(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.NOT_IMPLEMENTED, { message });
}

/** Turns the refusal of a one-time token into 40114 `state`. */
export async function failedIfInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AuthException && error.code === AuthErrorCode.LINK_INVALID
      ? externalLoginFailed('state')
      : error;
  }
}
