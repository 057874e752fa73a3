import type { LoginStep, ResolvedLogin } from 'kit-auth';
import { hasSecondFactor } from './second-factors.js';

/** Refuses users whose role requires a login with a second factor, until they have one. */
export class RequiredFactors implements LoginStep {
  private readonly roles: ReadonlySet<string>;

  /** @param roles their codes */
  constructor(roles: readonly string[]) {
    this.roles = new Set(roles);
  }

  needsEnrolment({ user, proof }: ResolvedLogin): boolean {
    return user.roles.some((role) => this.roles.has(role)) && !hasSecondFactor(proof);
  }
}
