import type { LoginProof } from 'kit-auth';

const SECOND_FACTORS = ['totp', 'recovery', 'passkey', 'mfa'];

/** Whether a second factor was shown in a login. */
export function hasSecondFactor({ factors }: LoginProof): boolean {
  return SECOND_FACTORS.some((factor) => factors[factor] !== undefined);
}
