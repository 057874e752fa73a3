import { Injectable } from '@nestjs/common';
import type { Principal } from '../contract/login-proof.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { ActiveProvider } from '../ports/active.provider.js';
import { Ports } from '../ports/ports.js';
import type { RouteRule } from '../routes/route-rule.js';

/** Checks whether a user has to set up a second factor before anything else. */
@Injectable()
export class EnrolmentChecker {
  constructor(
    private readonly ports: Ports,
    private readonly active: ActiveProvider,
  ) {}

  /**
   * A pending password change comes before the second factor.
   *
   * @throws AuthException 40303
   */
  check(principal: Principal, { beforeEnrolment }: RouteRule): void {
    if (this.ports.canRequireEnrolment && beforeEnrolment !== true && this.isWithoutFactor(principal)) {
      throw AuthException.refusal(AuthErrorCode.FACTOR_ENROLMENT_REQUIRED);
    }
  }

  private isWithoutFactor(principal: Principal): boolean {
    return (
      principal.user.mustChangePassword !== true &&
      this.active.hasResolved(principal) &&
      this.ports.steps.some((step) => step.needsEnrolment?.(principal) === true)
    );
  }
}
