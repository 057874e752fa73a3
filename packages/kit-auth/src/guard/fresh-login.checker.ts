import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { FreshRequirement } from '../contract/requirement.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { isPromiseLike } from '../errors/promise-like.js';
import { ActiveProvider } from '../provider/active.provider.js';
import { Contributions } from '../provider/contributions.js';
import { readFreshOptions } from '../routes/fresh-options.js';
import { asksForSecondFactor, staleness } from './fresh-login.js';
import { type StepWith, stepsWith } from './steps-with.js';

const DEFAULT: FreshRequirement = { kind: 'fresh', ...readFreshOptions() };

/** Checks whether a user has shown a factor a short time ago. */
@Injectable()
export class FreshLoginChecker implements OnModuleInit {
  private steps: readonly StepWith<'secondFactorsOf'>[] = [];

  constructor(
    private readonly contributions: Contributions,
    private readonly active: ActiveProvider,
  ) {}

  onModuleInit(): void {
    this.steps = stepsWith(this.contributions, 'secondFactorsOf');
  }

  /**
   * Returns no promise unless a step of the login does.
   *
   * @throws AuthException 40120 with the factors to show
   */
  check(login: ResolvedLogin, requirement: FreshRequirement): void | Promise<void> {
    const secondFactors = asksForSecondFactor(requirement) ? this.secondFactorsOf(login.user) : [];
    if (isPromiseLike(secondFactors)) {
      return secondFactors.then((found) => refuseStale(login, requirement, found));
    }
    refuseStale(login, requirement, secondFactors);
    return undefined;
  }

  /**
   * Does what `@RequireFresh()` does, for endpoints where only some requests need a fresh login. Needs no look-up. Does
   * nothing if the implementation does not record how users logged in.
   *
   * @param login undefined where there is none to ask, such as outside of requests
   * @throws AuthException 40120 with the factors to show
   */
  require(login: ResolvedLogin | undefined): void {
    if (this.hasProof(login)) {
      refuseStale(login, DEFAULT, []);
    }
  }

  /** As `require`, with requirements that may need a look-up. @throws AuthException 40120 with the factors to show */
  async requireOf(login: ResolvedLogin | undefined, requirement: FreshRequirement): Promise<void> {
    if (this.hasProof(login)) {
      await this.check(login, requirement);
    }
  }

  private hasProof(login: ResolvedLogin | undefined): login is ResolvedLogin {
    return login !== undefined && this.active.get().keepsProof === true;
  }

  private secondFactorsOf(user: LoginUser): readonly string[] | Promise<readonly string[]> {
    const answers = this.steps.map((step) => step.secondFactorsOf(user));
    return answers.some(isPromiseLike)
      ? Promise.all(answers.map(async (it) => it)).then((all) => all.flat())
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
