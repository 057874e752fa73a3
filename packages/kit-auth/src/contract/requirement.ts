import type { Type } from '@nestjs/common';
import type { AuthPolicy } from './auth-policy.js';

/** What a route requires of its user. `@RequireToken()` alone is the empty list of roles. */
export type Requirement =
  | { readonly kind: 'role' | 'permission'; readonly names: readonly string[]; readonly mode: 'all' | 'any' }
  | { readonly kind: 'policy'; readonly policy: Type<AuthPolicy> };
