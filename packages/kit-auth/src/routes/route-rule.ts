import type { Requirement } from '../contract/requirement.js';

/** Marks the controllers of the core and of packages that extend it. */
export const OURS = 'kit-auth:ours';

/** How a route came to be open or protected, as the access report says it. */
export type RouteDecision =
  | 'open by path'
  /** `protect` is `'decorated'`, and no decorator asks for a token. */
  | 'open by default'
  | 'open by @Public'
  | 'open by white-list'
  | 'token'
  /** The route has parameters, so the path of the request decides. */
  | 'token, or open by white-list'
  | 'token where the path is guarded';

/** What was decided for a route, once. */
export interface RouteRule {
  readonly decision: RouteDecision;
  /** The pattern of the white-list that opens the route. */
  readonly pattern?: string;
  /**
   * Where the route alone does not tell.
   *
   * @param targets the request target as the client sent it, and as the router saw it if that differs; all of them count
   */
  readonly requiresToken?: (...targets: readonly string[]) => boolean;
  /** What the user needs besides a token. */
  readonly requirements: readonly Requirement[];
  /** Whether users may come here who have to choose a new password first. */
  readonly beforePasswordChange?: boolean;
  /** Whether users may come here who have to set up a second factor first. */
  readonly beforeEnrolment?: boolean;
  /** Whether the route belongs to the core or to a package that extends it. */
  readonly ours?: boolean;
}

export function rule(decision: RouteDecision, requiresToken?: RouteRule['requiresToken']): RouteRule {
  return { decision, requirements: [], ...(requiresToken && { requiresToken }) };
}

export const OPEN_BY_PATH = rule('open by path');
export const OPEN_BY_DEFAULT = rule('open by default');
export const OPEN_BY_PUBLIC = rule('open by @Public');
export const PROTECTED = rule('token');
