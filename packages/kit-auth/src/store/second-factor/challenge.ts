import type { LoginProof } from '../../contract/login-proof.js';
import type { LoginAttempt, VerifiedLogin } from '../../contract/login-step.js';
import { isFactors, isFactorTime, isObject } from '../../ports/port.js';

/** The purpose of the one-time tokens that represent a login after its first factor. */
export const CHALLENGE = 'login-challenge';
export const LIFETIME_SECONDS = 5 * 60;
export const MAX_ATTEMPTS = 5;

/** The data of the login in the token, besides its user and stamp. `first` is absent after a password. */
export type ChallengeData = Pick<LoginProof, 'factors' | 'expiresAt' | 'actor'> &
  Pick<VerifiedLogin, 'passed'> &
  Partial<Pick<LoginAttempt, 'first' | 'memo'>>;

/** @returns undefined for data that `SecondFactorStep` has not written */
export function readChallenge(data: unknown): ChallengeData | undefined {
  const { factors, expiresAt, actor, passed, first, memo } = (data ?? {}) as Partial<
    Record<keyof ChallengeData, unknown>
  >;
  const isValid =
    isFactors(factors) &&
    (expiresAt === undefined || isFactorTime(expiresAt)) &&
    (actor === undefined || isObject(actor)) &&
    (passed === undefined || (Array.isArray(passed) && passed.every((step) => typeof step === 'string'))) &&
    (first === undefined || typeof first === 'string') &&
    (memo === undefined || isObject(memo));
  return isValid ? (data as ChallengeData) : undefined;
}
