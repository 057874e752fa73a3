import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Principal } from '../contract/login-proof.js';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { ActiveProvider } from '../provider/active.provider.js';
import { failureOf, STEP } from '../provider/failure.js';
import type { RouteRule } from '../routes/route-rule.js';
import { type StepWith, stepsWith } from './steps-with.js';

/** Checks whether a user has to set up a second factor before anything else. */
@Injectable()
export class EnrolmentChecker implements OnModuleInit {
  private steps: readonly StepWith<'needsEnrolment'>[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly active: ActiveProvider,
    @Inject(KIT_AUTH_SETTINGS) private readonly settings: KitAuthSettings,
  ) {}

  onModuleInit(): void {
    if (this.settings.enabled) {
      this.steps = stepsWith(this.discovery, 'needsEnrolment');
    }
  }

  /**
   * Users who must choose a new password first do that before they set up a factor.
   *
   * @throws AuthException 40303
   */
  check(principal: Principal, { beforeEnrolment }: RouteRule): void {
    if (this.steps.length > 0 && beforeEnrolment !== true && this.isWithoutFactor(principal)) {
      throw AuthException.refusal(AuthErrorCode.FACTOR_ENROLMENT_REQUIRED);
    }
  }

  private isWithoutFactor(principal: Principal): boolean {
    try {
      return (
        principal.user.mustChangePassword !== true &&
        this.active.hasResolved(principal) &&
        this.steps.some((step) => step.needsEnrolment(principal))
      );
    } catch (error) {
      throw failureOf(error, STEP);
    }
  }
}
