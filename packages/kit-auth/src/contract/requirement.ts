import type { Type } from '@nestjs/common';
import type { AuthPolicy } from './auth-policy.js';

/** A requirement of a route. `@RequireToken()` alone is the empty list of roles. */
export type Requirement =
  | { readonly kind: 'role' | 'permission'; readonly names: readonly string[]; readonly mode: 'all' | 'any' }
  | FreshRequirement
  | { readonly kind: 'policy'; readonly policy: Type<AuthPolicy> };

/** The requirement of `@RequireFresh()`: a factor that was shown a short time ago. */
export interface FreshRequirement {
  readonly kind: 'fresh';
  /** Seconds. */
  readonly within: number;
  /** A list means one of these. */
  readonly factors: FreshFactors | readonly FreshFactor[];
}

/** The keywords for factors in `@RequireFresh()`. `FreshOptions` describes them. */
export type FreshFactors = 'any' | 'full' | 'second' | 'second-or-recovery';

/** The factors that `@RequireFresh()` can name. An API key is not one: it does not prove that a user is present. */
export type FreshFactor = 'password' | 'totp' | 'recovery' | 'passkey' | 'oidc' | 'email';
