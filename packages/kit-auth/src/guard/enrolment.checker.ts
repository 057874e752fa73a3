import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Principal } from '../contract/login-proof.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { ActiveProvider } from '../provider/active.provider.js';
import { Contributions } from '../provider/contributions.js';
import type { RouteRule } from '../routes/route-rule.js';
import { type StepWith, stepsWith } from './steps-with.js';

/** Checks whether a user has to set up a second factor before anything else. */
@Injectable()
export class EnrolmentChecker implements OnModuleInit {
  private steps: readonly StepWith<'needsEnrolment'>[] = [];

  constructor(
    private readonly contributions: Contributions,
    private readonly active: ActiveProvider,
  ) {}

  onModuleInit(): void {
    this.steps = stepsWith(this.contributions, 'needsEnrolment');
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
    return (
      principal.user.mustChangePassword !== true &&
      this.active.hasResolved(principal) &&
      this.steps.some((step) => step.needsEnrolment(principal))
    );
  }
}
