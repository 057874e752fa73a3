import type { LoginProof } from '../contract/login-proof.js';
import type { FreshRequirement } from '../contract/requirement.js';
import { isFactorTime } from '../provider/resolved-login.js';

/** Seconds that the clock of another server may be ahead. */
const MAX_AHEAD = 5;
/** Younger than this always passes, so that a client that has just confirmed the login is not asked again. */
const ALWAYS_FRESH = 5;
/** Factors that prove little about who is at the keyboard. */
const NOT_ANY: ReadonlySet<string> = new Set(['key', 'email', 'recovery']);

type Freshness = 'fresh' | 'expired' | 'missing';

/** What a user has to show again. */
export interface StaleLogin {
  readonly missing: readonly string[];
  readonly reason: Exclude<Freshness, 'fresh'>;
}

/**
 * What a login lacks to be fresh.
 *
 * @param secondFactors of the user; only `full` asks for them
 * @param now seconds since 1970
 */
export function staleness(
  { factors }: LoginProof,
  { within, factors: wanted }: FreshRequirement,
  secondFactors: readonly string[],
  now: number,
): StaleLogin | undefined {
  const freshest = (names: readonly string[]): Freshness => {
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
  };
  if (wanted === 'any') {
    const best = freshest(Object.keys(factors).filter((name) => !NOT_ANY.has(name)));
    return best === 'fresh' ? undefined : { missing: ['password'], reason: best };
  }
  const groups = wanted === 'full' ? [['password'], secondFactors] : [wanted];
  const stale = groups
    .filter((names) => names.length > 0)
    .map((names) => ({ names, best: freshest(names) }))
    .filter(({ best }) => best !== 'fresh');
  return stale.length === 0
    ? undefined
    : {
        missing: stale.flatMap(({ names }) => names),
        reason: stale.some(({ best }) => best === 'missing') ? 'missing' : 'expired',
      };
}
