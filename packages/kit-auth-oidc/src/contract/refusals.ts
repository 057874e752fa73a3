import { AuthErrorCode, AuthException } from 'kit-auth';

/** Why a login with a provider failed: the `reason` of 40114. */
export type ExternalLoginReason =
  /** The user has refused, or closed the page of the provider. */
  | 'denied'
  /** The attempt has ended, or belongs to another browser or another login. */
  | 'state'
  /** The provider has answered with an error, or with something that it should not. */
  | 'provider'
  /** The identity is unknown, and has no verified address. */
  | 'unverified'
  /** The identity is unknown, and nobody gets an account here. */
  | 'no-account'
  /** The identity is unknown, and the policy does not admit it. */
  | 'not-allowed';

/** 40114. */
export function externalLoginFailed(reason: ExternalLoginReason): AuthException {
  return AuthException.refusal(AuthErrorCode.EXTERNAL_LOGIN_FAILED, { reason });
}

/** 50100. */
export function notImplemented(message: string): AuthException {
  return AuthException.refusal(AuthErrorCode.NOT_IMPLEMENTED, { message });
}
