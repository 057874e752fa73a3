import type { FreshFactor, FreshFactors, FreshRequirement } from '../contract/requirement.js';

export interface FreshOptions {
  /** How long ago at most, as a whole number of seconds, minutes or hours: `'90s'`, `'10m'`, `'1h'`. Default `'10m'`. */
  within?: string | undefined;
  /**
   * Which factors count:
   *
   * - `'any'`, the default: every factor but `key`, `email` and `recovery`. For users who have nothing else, `email` counts
   * - `'full'`: the password, and one of the second factors of a user who has any
   * - `'second'`: one of the second factors of a user who has any, otherwise as `'any'`. For the first enrolment, the login
   *   that has created the account with a provider counts for ten minutes
   * - `'second-or-recovery'`: the same, or a recovery code, for changes of the own factors. Factors that logins only offer,
   *   such as passkeys without `secondFactor`, count too. If a user has no others, and needs none, `email` is accepted: a login
   *   with a link, or within ten minutes after a reset of the password by a link
   * - a list: any one of these
   */
  factors?: FreshFactors | readonly FreshFactor[] | undefined;
}

const DURATION = /^([1-9]\d{0,5})([smh])$/;
const SECONDS = { s: 1, m: 60, h: 3600 };
const WORDS: FreshFactors[] = ['any', 'full', 'second', 'second-or-recovery'];
const FACTORS: FreshFactor[] = ['password', 'totp', 'recovery', 'passkey', 'oidc', 'email'];

/** @throws TypeError for options of another form */
export function readFreshOptions(options: string | FreshOptions = {}): Omit<FreshRequirement, 'kind'> {
  const given: unknown = options;
  if (typeof given === 'string') {
    return { within: secondsOf(given), factors: 'any' };
  }
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (!isObject || Object.keys(given).some((name) => !['within', 'factors'].includes(name))) {
    throw new TypeError('@RequireFresh: pass a time such as "10m", or an object with within and factors');
  }
  const { within = '10m', factors = 'any' } = given as FreshOptions;
  return { within: secondsOf(within), factors: checked(factors) };
}

function secondsOf(duration: unknown): number {
  const [, count, unit] = (typeof duration === 'string' && DURATION.exec(duration)) || [];
  if (count === undefined) {
    throw new TypeError(
      `@RequireFresh: within is ${JSON.stringify(duration)}, but should be a time such as "90s", "10m" or "1h"`,
    );
  }
  return Number(count) * SECONDS[unit as keyof typeof SECONDS];
}

function checked(factors: unknown): FreshRequirement['factors'] {
  if ((WORDS as unknown[]).includes(factors)) {
    return factors as FreshFactors;
  }
  if (
    !Array.isArray(factors) ||
    factors.length === 0 ||
    !factors.every((factor) => (FACTORS as unknown[]).includes(factor))
  ) {
    throw new TypeError(
      `@RequireFresh: factors is ${JSON.stringify(factors)}, but should be ${WORDS.map((word) => `"${word}"`).join(', ')}, ` +
        `or a list of ${FACTORS.join(', ')}. "key" is not allowed: an API key does not prove that a user is present.`,
    );
  }
  return Object.freeze([...(factors as FreshFactor[])]);
}
