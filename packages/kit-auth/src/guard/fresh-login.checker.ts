import { Injectable } from '@nestjs/common';
import type { ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { FreshRequirement } from '../contract/requirement.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { andThen, isPromiseLike } from '../errors/promises.js';
import { Ports } from '../ports/ports.js';
import { readFreshOptions } from '../routes/fresh-options.js';
import { asksForSecondFactor, staleness } from './fresh-login.js';

const DEFAULT: FreshRequirement = { kind: 'fresh', ...readFreshOptions() };

/** Checks whether a user has shown a factor a short time ago. */
@Injectable()
export class FreshLoginChecker {
  constructor(private readonly ports: Ports) {}

  /**
   * Returns no promise unless a step of the login does.
   *
   * @throws AuthException 40120 with the factors to show
   */
  check(login: ResolvedLogin, requirement: FreshRequirement): void | Promise<void> {
    const secondFactors = asksForSecondFactor(requirement) ? this.secondFactorsOf(login.user) : [];
    return andThen(secondFactors, (found) => refuseStale(login, requirement, found));
  }

  /**
   * Applies `@RequireFresh()` to endpoints where only some requests need a fresh login. Needs no lookup. Does nothing
   * if the implementation does not record how users logged in.
   *
   * @param login undefined without a login, such as outside of requests
   * @throws AuthException 40120 with the factors to show
   */
  require(login: ResolvedLogin | undefined): void {
    if (this.hasProof(login)) {
      refuseStale(login, DEFAULT, []);
    }
  }

  /** Like `require`, for requirements that may need a lookup. @throws AuthException 40120 with the factors to show */
  async requireOf(login: ResolvedLogin | undefined, requirement: FreshRequirement): Promise<void> {
    if (this.hasProof(login)) {
      await this.check(login, requirement);
    }
  }

  private hasProof(login: ResolvedLogin | undefined): login is ResolvedLogin {
    return login !== undefined && this.ports.requireProvider().keepsProof === true;
  }

  private secondFactorsOf(user: LoginUser): readonly string[] | Promise<readonly string[]> {
    const answers = this.ports.steps.map((step) => step.secondFactorsOf?.(user) ?? []);
    return answers.some(isPromiseLike)
      ? Promise.all(answers.map(async (answer) => answer)).then((all) => all.flat())
      : (answers as (readonly string[])[]).flat();
  }
}

function refuseStale(
  { proof }: ResolvedLogin,
  requirement: FreshRequirement,
  secondFactors: readonly string[],
): void {
  const stale = staleness(proof, requirement, secondFactors, Math.floor(Date.now() / 1000));
  if (stale !== undefined) {
    throw AuthException.refusal(AuthErrorCode.FRESH_LOGIN_REQUIRED, {
      ...stale,
      details: { maxAge: requirement.within },
    });
  }
}
