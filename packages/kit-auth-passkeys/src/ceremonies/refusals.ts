import { AuthErrorCode, AuthException } from 'kit-auth';

/** 40113. The same for everything that can be wrong: an attacker must not learn whether a passkey exists. */
export function wrongPasskey(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED, { message: 'The passkey was not accepted' });
}

/** 40113 with the reason `challenge-ended`. */
export function ceremonyEnded(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED, {
    reason: 'challenge-ended',
    message: 'This attempt has ended. Ask for new options',
  });
}
