import type { LoginProof } from '../contract/login-proof.js';
import type { FreshRequirement } from '../contract/requirement.js';
import type { SecondFactors } from '../ports/factors.js';
import { isFactorTime } from '../ports/port.js';

/** The number of seconds that the clock of another server may be ahead. */
const MAX_AHEAD = 5;
/** A younger factor always counts as fresh, so that a client that has just confirmed the login is not asked again. */
const ALWAYS_FRESH = 5;
/** The factor in the proof of a login that has created its account with a provider. */
export const ACCOUNT_CREATED = 'account-created';
/** How long that login counts for the first enrolment, in seconds. */
const CREATED_SECONDS = 600;
/** Factors that do not prove that the user is present. */
const NOT_ANY: ReadonlySet<string> = new Set(['key', 'email', 'recovery', ACCOUNT_CREATED]);

type Freshness = 'fresh' | 'expired' | 'missing';

/** The factors that a user has to show again. */
export interface StaleLogin {
  readonly missing: readonly string[];
  readonly reason: Exclude<Freshness, 'fresh'>;
}

/** Factors, one of which must be fresh. */
interface Alternatives {
  readonly accepted: readonly string[];
  /** The factors that `POST fresh` accepts. */
  readonly missing: readonly string[];
}

/** It verifies the user, so it is as much as a password and a second factor. */
const FULL = ['passkey'];

/** Factors that amount to a new login: the password, or the provider that replaces it. */
const FIRST = ['password', 'oidc'];

/** Whether a requirement depends on the second factors of the user. */
export function asksForSecondFactor({ factors }: FreshRequirement): boolean {
  return typeof factors === 'string' && factors !== 'any';
}

/** Whether a requirement is `OWN_CHANGES`. */
export function isOwnChange({ factors }: FreshRequirement): boolean {
  return factors === 'second-or-recovery';
}

/**
 * Determines which factors a login lacks to be fresh.
 *
 * @param secondFactors of the user; only needed if `asksForSecondFactor()` is true
 * @param now seconds since 1970
 */
export function staleness(
  { factors }: LoginProof,
  { within, factors: wanted }: FreshRequirement,
  secondFactors: SecondFactors,
  now: number,
): StaleLogin | undefined {
  const freshest = (names: readonly string[]) => freshestOf(factors, names, within, now);
  if (wanted === 'full' && freshest(FULL) === 'fresh') {
    return undefined;
  }
  const stale = wantedOf(wanted, Object.keys(factors), secondFactors)
    .map(({ accepted, missing }) => ({ missing, best: freshest(accepted) }))
    .filter(({ best }) => best !== 'fresh');
  return stale.length === 0
    ? undefined
    : {
        missing: stale.flatMap(({ missing }) => missing),
        reason: stale.some(({ best }) => best === 'missing') ? 'missing' : 'expired',
      };
}

function freshestOf(
  factors: LoginProof['factors'],
  names: readonly string[],
  within: number,
  now: number,
): Freshness {
  let best: Freshness = 'missing';
  for (const name of names) {
    const time: unknown = factors[name];
    if (isFactorTime(time) && time <= now + MAX_AHEAD) {
      if (now - time <= within || now - time < ALWAYS_FRESH) {
        return 'fresh';
      }
      best = 'expired';
    }
  }
  return best;
}

/**
 * Determines which factors a login without a fresh password lacks: not every user has a password.
 *
 * - For the first enrolment, the login that has created the account counts for ten minutes.
 * - Users who have nothing but a provider and mails confirm a login with a code in a mail, too, or log in by mail. A mail is no
 *   second factor, so only endpoints that set up a way to log in accept it for `'second'`.
 * - Users who have nothing at all log in again.
 *
 * @param stale what `staleness()` has found: `missing` has the password
 * @param confirmers all factors with which the user can confirm a login
 * @param isEnrolment whether the user sets up a way to log in
 */
export function stalenessOf(
  stale: StaleLogin,
  confirmers: readonly string[],
  { factors }: LoginProof,
  { within, factors: wanted }: FreshRequirement,
  isEnrolment: boolean,
  now: number,
): StaleLogin | undefined {
  const others = confirmers.filter((name) => name !== 'email');
  const instead = (names: readonly string[]): StaleLogin => ({
    ...stale,
    missing: [...new Set(stale.missing.flatMap((name) => (name === 'password' ? names : [name])))],
  });
  if (wanted === 'full') {
    // Without any of these, the user needs a password first.
    return others.some((name) => [...FIRST, ...FULL].includes(name)) ? instead(others) : stale;
  }
  // The provider has created the account, so it is no enrolment.
  const isWithoutOwn = others.every((name) => name === 'oidc');
  const isMailEnough = isWithoutOwn && (wanted === 'any' || isEnrolment) && confirmers.includes('email');
  const found = [
    ...(isWithoutOwn && isEnrolment
      ? [freshestOf(factors, [ACCOUNT_CREATED], Math.min(within, CREATED_SECONDS), now)]
      : []),
    ...(isMailEnough ? [freshestOf(factors, ['email'], within, now)] : []),
  ];
  if (found.includes('fresh')) {
    return undefined;
  }
  const ways = isMailEnough ? [...others, 'email'] : others;
  const reason = found.includes('expired') ? 'expired' : stale.reason;
  return { ...instead(ways.length > 0 ? ways : ['login']), reason };
}

/** @param shown the factors of the login */
function wantedOf(
  wanted: FreshRequirement['factors'],
  shown: readonly string[],
  { names, areOffered }: SecondFactors,
): readonly Alternatives[] {
  const password = { accepted: FIRST, missing: ['password'] };
  const any = { ...password, accepted: shown.filter((name) => !NOT_ANY.has(name)) };
  const second = { accepted: [...shownAs(names), 'mfa'], missing: names };
  const hasSecond = names.length > 0;
  // Without a second factor, access to the mails of a user is access to the account.
  const recovering = areOffered ? ['recovery', 'email'] : ['recovery'];
  switch (wanted) {
    case 'any':
      return [any];
    case 'full':
      return hasSecond ? [password, second] : [password];
    case 'second':
      return [hasSecond ? second : any];
    case 'second-or-recovery':
      return [hasSecond ? { ...second, accepted: [...second.accepted, ...recovering] } : any];
    default:
      return [{ accepted: wanted, missing: wanted }];
  }
}

/** A provider that has asked for its second factor adds `mfa`. One that has not counts for users without another one. */
function shownAs(secondFactors: readonly string[]): readonly string[] {
  const own = secondFactors.filter((name) => name !== 'oidc');
  return own.length > 0 ? own : secondFactors;
}
