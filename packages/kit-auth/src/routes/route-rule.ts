import type { Requirement } from '../contract/requirement.js';
import { AntPattern } from './ant-pattern.js';
import { guardOf, isGuardedPath, isLiteral, withSingleSlashes } from './registered-path.js';
import { plainPath } from './request-path.js';
import type { GlobalPrefix } from './global-prefix.js';

/** How a route came to be open or protected, as the access report says it. */
export type RouteDecision =
  | 'open by path'
  | 'open by @Public'
  | 'open by white-list'
  | 'token'
  /** The route has parameters, so the path of the request decides. */
  | 'token, or open by white-list'
  | 'token where the path is guarded';

/** What was decided for a route, once. */
export interface RouteRule {
  readonly decision: RouteDecision;
  /** Of the white-list, where one opens the route. */
  readonly pattern?: string;
  /**
   * Where the route alone does not tell.
   *
   * @param targets the request target as the client sent it, and as the router saw it if that differs
   */
  readonly requiresToken?: (...targets: readonly string[]) => boolean;
  /** What the user needs besides a token. */
  readonly requirements: readonly Requirement[];
  /** Whether users may come here who have to choose a new password first. */
  readonly beforePasswordChange?: boolean;
}

function rule(decision: RouteDecision, requiresToken?: RouteRule['requiresToken']): RouteRule {
  return { decision, requirements: [], ...(requiresToken && { requiresToken }) };
}

export const OPEN_BY_PATH = rule('open by path');
export const OPEN_BY_PUBLIC = rule('open by @Public');
export const PROTECTED = rule('token');

function openByPattern({ source }: AntPattern): RouteRule {
  const onPlainPaths = rule('open by white-list', (...targets) =>
    targets.some((target) => plainPath(target) === undefined),
  );
  return { ...onPlainPaths, pattern: source };
}

export function isOpen({ decision }: RouteRule): boolean {
  return decision.startsWith('open');
}

/**
 * The rule of a registered path, judged as it is and with the global prefix taken off: guarded when either is
 * under `/v1` or `/v2`, exempt when either matches the white-list. What depends on the
 * route alone is decided here. A request can only be exempted by the white-list. Anything undetermined is protected.
 */
export function ruleOfPath(
  registered: string,
  prefix: GlobalPrefix,
  whiteList: readonly AntPattern[],
): RouteRule {
  const path = withoutLastSlash(withSingleSlashes(registered));
  const withoutPrefix = prefix.takeOffRoute(path);
  if (withoutPrefix === 'unknown') {
    return PROTECTED;
  }
  const spellings = withoutPrefix === undefined ? [path] : [path, withoutPrefix.path];
  const answers = spellings.map(guardOf);
  if (answers.every((answer) => answer === 'open')) {
    return OPEN_BY_PATH;
  }
  const hasPrefix = withoutPrefix !== undefined;
  if (!answers.includes('guarded')) {
    return answers[1] === 'unknown' && !prefix.hasFixedLength
      ? PROTECTED
      : ruleByRequest(prefix, whiteList, { hasPrefix });
  }
  // What the route alone decides, no request has to: that saves each one 0.8 microseconds for one pattern, 5 for ten.
  const opening = whiteList.find((pattern) =>
    spellings.some((it) => (isLiteral(it) ? pattern.matches(it) : opensAllOf(pattern.source, it))),
  );
  if (opening !== undefined) {
    return openByPattern(opening);
  }
  const mayBeExempt = whiteList.some(({ source }) => spellings.some((it) => mayMeet(source, it)));
  return mayBeExempt ? ruleByRequest(prefix, whiteList, { isGuarded: true, hasPrefix }) : PROTECTED;
}

/** For handlers behind one route that serves many paths, such as GraphQL resolvers. */
export function ruleOfManyPaths(prefix: GlobalPrefix, whiteList: readonly AntPattern[]): RouteRule {
  return prefix.hasFixedLength
    ? ruleByRequest(prefix, whiteList, { hasPrefix: prefix.isLiteral })
    : PROTECTED;
}

/**
 * @param isGuarded whether the route itself is guarded, so that only the white-list is left to ask
 * @param hasPrefix whether the global prefix belongs to the route: only then may the white-list match without it
 */
function ruleByRequest(
  prefix: GlobalPrefix,
  whiteList: readonly AntPattern[],
  { isGuarded = false, hasPrefix = false },
): RouteRule {
  const decision = isGuarded ? 'token, or open by white-list' : 'token where the path is guarded';
  const mayTakeOff = hasPrefix || prefix.isLiteral;
  return rule(decision, (...targets) =>
    targets.some((target) => {
      const plain = plainPath(target);
      if (plain === undefined) {
        return true;
      }
      const path = withoutLastSlash(plain);
      const withoutPrefix = prefix.takeOffRequest(path);
      const isExempt = (spelling: string) => whiteList.some((pattern) => pattern.matches(spelling));
      return (
        (isGuarded || isGuardedPath(path) || (withoutPrefix !== undefined && isGuardedPath(withoutPrefix))) &&
        !isExempt(path) &&
        !(mayTakeOff && withoutPrefix !== undefined && isExempt(withoutPrefix))
      );
    }),
  );
}

/** Whether a pattern such as `/v1/public/**` opens a route for all values of its parameters. */
function opensAllOf(pattern: string, registered: string): boolean {
  const literal = pattern.endsWith('/**') ? pattern.slice(0, -2) : undefined;
  return (
    literal !== undefined && !/[*?]/.test(literal) && isLiteral(literal) && registered.startsWith(literal)
  );
}

/**
 * Whether a pattern may match a request to a route. One with parameters has to agree up to the first segment that is
 * not plain text in both; one without serves its own text only, in other cases too.
 */
function mayMeet(pattern: string, registered: string): boolean {
  if (isLiteral(registered)) {
    return new AntPattern(pattern.toLowerCase()).matches(registered.toLowerCase());
  }
  const segments = registered.toLowerCase().split('/');
  for (const [i, ofPattern] of pattern.toLowerCase().split('/').entries()) {
    const ofRoute = segments[i];
    if (/[*?]/.test(ofPattern) || ofRoute === undefined || !isLiteral(ofRoute)) {
      return true;
    }
    if (ofPattern !== ofRoute) {
      return false;
    }
  }
  return true;
}

/** Routers serve a path with and without its last slash from one route. */
function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') && !path.endsWith('\\/') ? path.slice(0, -1) : path;
}
