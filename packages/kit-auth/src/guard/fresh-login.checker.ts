import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { ResolvedLogin } from '../contract/login-proof.js';
import type { LoginUser } from '../contract/login-user.js';
import type { FreshRequirement } from '../contract/requirement.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { attempting, failureOf, STEP } from '../provider/failure.js';
import { isPromiseLike } from '../provider/promise-like.js';
import { staleness } from './fresh-login.js';
import { type StepWith, stepsWith } from './steps-with.js';

/** Checks whether a user has shown a factor a short time ago. */
@Injectable()
export class FreshLoginChecker implements OnModuleInit {
  private steps: readonly StepWith<'secondFactorsOf'>[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (this.settings.enabled) {
      this.steps = stepsWith(this.discovery, 'secondFactorsOf');
    }
  }

  /**
   * Returns no promise unless a step of the login does.
   *
   * @throws AuthException 40120 with the factors to show
   */
  check({ user, proof }: ResolvedLogin, requirement: FreshRequirement): void | Promise<void> {
    const check = (secondFactors: readonly string[]): void => {
      const stale = staleness(proof, requirement, secondFactors, Math.floor(Date.now() / 1000));
      if (stale !== undefined) {
        throw AuthException.refusal(AuthErrorCode.FRESH_LOGIN_REQUIRED, {
          ...stale,
          details: { maxAge: requirement.within },
        });
      }
    };
    const secondFactors = requirement.factors === 'full' ? this.secondFactorsOf(user) : [];
    if (isPromiseLike(secondFactors)) {
      return secondFactors.then(check);
    }
    check(secondFactors);
    return undefined;
  }

  private secondFactorsOf(user: LoginUser): readonly string[] | Promise<readonly string[]> {
    try {
      const answers = this.steps.map((step) => step.secondFactorsOf(user));
      return answers.some(isPromiseLike)
        ? attempting(STEP, async () => (await Promise.all(answers.map(async (it) => it))).flat())
        : (answers as (readonly string[])[]).flat();
    } catch (error) {
      throw failureOf(error, STEP);
    }
  }
}
