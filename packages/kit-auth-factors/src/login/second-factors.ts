import type { LoginProof } from 'kit-auth';

const SECOND_FACTORS = ['totp', 'recovery', 'passkey'];

/**
 * The factors that let a login change the user's own factors (`@RequireFresh()`). Recovery codes are among them: users
 * log in with one to replace a lost device.
 */
export const OWN_CHANGES = { factors: 'second-or-recovery' } as const;

/** Whether a second factor was shown in a login. */
export function hasSecondFactor({ factors }: LoginProof): boolean {
  return SECOND_FACTORS.some((factor) => factors[factor] !== undefined);
}
