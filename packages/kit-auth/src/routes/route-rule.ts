import type { Requirement } from '../contract/requirement.js';
import type { OptionalPaths } from '../contract/settings.js';
import type { OptionalUserOptions } from './require.decorators.js';

/** Marks the controllers of the core and of packages that extend it. */
export const OURS = 'kit-auth:ours';

/** Why a route is open or protected, for the access report. */
export type RouteDecision =
  | 'open by path'
  /** `protect` is `'decorated'`, and no decorator requires a token. */
  | 'open by default'
  | 'open by @Public'
  | 'open by white-list'
  | 'open by @OptionalUser'
  /** A pattern of `optional` matches every path of the route. */
  | 'open by optional path'
  /** The function `when` of `optional` decides about each request. */
  | 'token, or open by optional path'
  | 'token'
  /** The route has parameters, so the path of the request decides. */
  | 'token, or open by white-list'
  | 'token where the path is guarded';

/** The decision for a route. */
export interface RouteRule {
  readonly decision: RouteDecision;
  /** The pattern of the white-list or of `optional` that opens the route. */
  readonly pattern?: string;
  /**
   * Decides by the path of the request, if the route alone does not.
   *
   * @param targets the request target as the client sent it, and as the router saw it if that differs; all of them count
   */
  readonly requiresToken?: (...targets: readonly string[]) => boolean;
  /** Set for an open route that reads the token of requests that have one. */
  readonly optional?: OptionalUserOptions;
  /** Set for an open route that needs a token unless this returns true. */
  readonly when?: OptionalPaths['when'];
  /** The requirements besides a token. */
  readonly requirements: readonly Requirement[];
  /** Whether users who must first choose a new password may call the route. */
  readonly beforePasswordChange?: boolean;
  /** Whether users who must first set up a second factor may call the route. */
  readonly beforeEnrolment?: boolean;
  /** Whether the route belongs to the core or to a package that extends it. */
  readonly ours?: boolean;
  /** Whether the route changes the account of the current user, so that actors may not call it. */
  readonly isOwnChange?: boolean;
}

export function rule(decision: RouteDecision, requiresToken?: RouteRule['requiresToken']): RouteRule {
  return { decision, requirements: [], ...(requiresToken && { requiresToken }) };
}

export const OPEN_BY_PATH = rule('open by path');
export const OPEN_BY_DEFAULT = rule('open by default');
export const OPEN_BY_PUBLIC = rule('open by @Public');
export const PROTECTED = rule('token');

/** Why a request needs no token, in a word. */
export const OPEN_REASONS = {
  'open by path': 'path',
  'open by default': 'default',
  'open by @Public': 'public',
  'open by white-list': 'white-list',
  'open by @OptionalUser': 'optional',
  'open by optional path': 'optional',
  'token, or open by white-list': 'white-list',
  'token, or open by optional path': 'optional',
  'token where the path is guarded': 'path',
  // A request to such a route always needs one.
  token: 'default',
} as const satisfies Record<RouteDecision, string>;
