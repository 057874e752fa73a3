import type { LoginProof, VerifiedLogin } from 'kit-auth';
import { isFactors, isFactorTime } from 'kit-auth/extend';

/** The purpose of the one-time tokens that represent a login after its first step, the password. */
export const CHALLENGE = 'login-challenge';
export const LIFETIME_SECONDS = 5 * 60;
export const MAX_ATTEMPTS = 5;

/** The data of the login in the token, besides its user and stamp. */
export type ChallengeData = Pick<LoginProof, 'factors' | 'expiresAt'> & Pick<VerifiedLogin, 'passed'>;

/** @returns undefined for data that this package has not written */
export function readChallenge(data: unknown): ChallengeData | undefined {
  const { factors, expiresAt, passed } = (data ?? {}) as Partial<Record<keyof ChallengeData, unknown>>;
  const isValid =
    isFactors(factors) &&
    (expiresAt === undefined || isFactorTime(expiresAt)) &&
    (passed === undefined || (Array.isArray(passed) && passed.every((step) => typeof step === 'string')));
  return isValid ? (data as ChallengeData) : undefined;
}
