import type { LoginStep, LoginUser, ResolvedLogin } from 'kit-auth';
import type { SecondFactors } from 'kit-auth/second-factor';
import { hasSecondFactor } from './second-factors.js';

/** Refuses users whose role requires a login with a second factor, until they have one. */
export class RequiredFactors implements LoginStep {
  private readonly roles: ReadonlySet<string>;

  /** @param roles their codes */
  constructor(
    roles: readonly string[],
    private readonly factors: SecondFactors,
  ) {
    this.roles = new Set(roles);
  }

  needsEnrolment({ user, proof }: ResolvedLogin): boolean {
    return this.isRequiredFor(user) && !hasSecondFactor(proof);
  }

  /** A factor that logins do not ask for: otherwise the password alone could add another one beside it. */
  async secondFactorsOf(user: LoginUser): Promise<readonly string[]> {
    return this.isRequiredFor(user) ? this.factors.unaskedOf(user) : [];
  }

  private isRequiredFor({ roles }: LoginUser): boolean {
    return roles.some((role) => this.roles.has(role));
  }
}
