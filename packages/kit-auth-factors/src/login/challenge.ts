/** The purpose of the one-time tokens that stand for a login whose password was right. */
export const CHALLENGE = 'login-challenge';
export const LIFETIME_SECONDS = 5 * 60;
export const MAX_ATTEMPTS = 5;

export interface ChallengeData {
  /** When the password was compared, in seconds since 1970. */
  readonly password: number;
}
