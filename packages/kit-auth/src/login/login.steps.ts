import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { HashTurn } from '../contract/hash-turn.js';
import {
  LOGIN_STEP,
  type LoginAttempt,
  type LoginStep,
  type ShownFactor,
  type VerifiedLogin,
} from '../contract/login-step.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { allContributionsTo } from '../provider/contributions.js';

const DEFAULT_ORDER = 100;

type Check = (turn?: HashTurn) => Promise<VerifiedLogin>;

/** The steps that the modules of the application add to a login, in their order. */
@Injectable()
export class LoginSteps implements OnModuleInit {
  private steps: readonly LoginStep[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (this.settings.enabled) {
      this.steps = allContributionsTo<LoginStep>(this.discovery, LOGIN_STEP, 'LoginStep', []).sort(
        (a, b) => (a.order ?? DEFAULT_ORDER) - (b.order ?? DEFAULT_ORDER),
      );
    }
  }

  /** Runs a check of a password inside the steps around it. */
  around(attempt: LoginAttempt, check: Check): Promise<VerifiedLogin> {
    const checkInside = this.steps.reduceRight<Check>((inner, step) => {
      const around = step.around?.bind(step);
      return around === undefined ? inner : (turn) => around(attempt, (own = turn) => inner(own));
    }, check);
    return checkInside();
  }

  /** Runs the steps after a password that was right. @returns the login with the factors that they added */
  async afterPassword(login: VerifiedLogin, attempt: LoginAttempt): Promise<VerifiedLogin> {
    let verified = login;
    for (const step of this.steps) {
      const proof = await step.afterPassword?.(verified, attempt);
      verified = proof === undefined ? verified : { ...verified, proof };
    }
    return verified;
  }

  /** Informs the steps that an attempt has succeeded. */
  async succeeded(login: VerifiedLogin, attempt: LoginAttempt): Promise<void> {
    for (const step of this.steps) {
      await step.succeeded?.(login, attempt);
    }
  }

  /** Verifies a factor with the step that it belongs to. @returns undefined when there is none */
  async verifyFactor(shown: ShownFactor, attempt: LoginAttempt): Promise<VerifiedLogin | undefined> {
    for (const step of this.steps) {
      const verified = await step.verifyFactor?.(shown, attempt);
      if (verified !== undefined) {
        return verified;
      }
    }
    return undefined;
  }
}
