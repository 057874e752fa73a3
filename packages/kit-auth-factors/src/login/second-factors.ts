import type { LoginProof } from 'kit-auth';

const SECOND_FACTORS = ['totp', 'recovery', 'passkey'];

/**
 * What a change of the own factors requires of the login (`@RequireFresh()`). A user who has lost the device has logged in
 * with a recovery code, and replaces the device.
 */
export const OWN_CHANGES = { factors: 'second-or-recovery' } as const;

/** Whether a second factor was shown in a login. */
export function hasSecondFactor({ factors }: LoginProof): boolean {
  return SECOND_FACTORS.some((factor) => factors[factor] !== undefined);
}
