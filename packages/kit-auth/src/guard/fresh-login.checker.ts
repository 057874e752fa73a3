import { Injectable } from '@nestjs/common';
import type { ResolvedLogin } from '../contract/login-proof.js';
import type { FreshRequirement } from '../contract/requirement.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { andThen } from '../errors/maybe-promise.js';
import { Factors, type SecondFactors } from '../ports/factors.js';
import { Ports } from '../ports/ports.js';
import { readFreshOptions } from '../routes/fresh-options.js';
import { asksForSecondFactor, isOwnChange, type StaleLogin, staleness, stalenessOf } from './fresh-login.js';

const NONE: SecondFactors = { names: [], areOffered: true };
const DEFAULT: FreshRequirement = { kind: 'fresh', ...readFreshOptions() };

/** Checks whether a user has shown a factor a short time ago. */
@Injectable()
export class FreshLoginChecker {
  constructor(
    private readonly ports: Ports,
    private readonly factors: Factors,
  ) {}

  /**
   * Returns no promise unless a factor does.
   *
   * @param isEnrolment whether the user sets up a way to log in. For the first one, the login that has created the account
   * counts
   * @throws AuthException 40120 with the factors to show
   */
  check(login: ResolvedLogin, requirement: FreshRequirement, isEnrolment = false): void | Promise<void> {
    const secondFactors = asksForSecondFactor(requirement)
      ? this.factors.secondOf(login.user, isOwnChange(requirement))
      : NONE;
    return andThen(secondFactors, (found) => this.refuseStale(login, requirement, found, isEnrolment));
  }

  /**
   * Applies `@RequireFresh()` to endpoints where only some requests need a fresh login. Does nothing if the
   * implementation does not record how users logged in.
   *
   * @param login undefined without a login, such as outside of requests
   * @param isEnrolment see `check`
   * @throws AuthException 40120 with the factors to show
   */
  async require(
    login: ResolvedLogin | undefined,
    requirement = DEFAULT,
    isEnrolment?: boolean,
  ): Promise<void> {
    if (login !== undefined && this.ports.requireProvider().keepsProof === true) {
      await this.check(login, requirement, isEnrolment);
    }
  }

  private refuseStale(
    { user, proof }: ResolvedLogin,
    requirement: FreshRequirement,
    secondFactors: SecondFactors,
    isEnrolment: boolean,
  ): void | Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    const stale = staleness(proof, requirement, secondFactors, now);
    if (stale === undefined) {
      return;
    }
    if (!stale.missing.includes('password') || typeof requirement.factors !== 'string') {
      throw refused(stale, requirement);
    }
    return andThen(this.factors.confirmersOf(user), (confirmers) => {
      const found = stalenessOf(stale, confirmers, proof, requirement, isEnrolment, now);
      if (found !== undefined) {
        throw refused(found, requirement);
      }
    });
  }
}

function refused(stale: StaleLogin, { within }: FreshRequirement): AuthException {
  return AuthException.refusal(AuthErrorCode.FRESH_LOGIN_REQUIRED, {
    ...stale,
    ...(stale.missing.includes('login') && {
      message: 'Nothing confirms this login. Log in again, or ask an administrator for a password',
    }),
    details: { maxAge: within },
  });
}
