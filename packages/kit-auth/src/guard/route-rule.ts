import type { Requirement } from '../access/require.decorators.js';
import type { AntPattern } from '../paths/ant-pattern.js';
import { plainPath } from '../paths/request-path.js';

/** How a route came to be open or protected, as the access report says it. */
export type RouteDecision =
  | 'open by path'
  | 'open by @Public'
  | 'open by white-list'
  | 'token'
  /** The route has parameters, and only the path of a request tells. */
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
  /** What is asked of the user beyond the token. */
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

/** `/v1/**` and `/v2/**` (spec section 4). Case does not count, because it does not for Express. */
const GUARDED_PATH = /^\/v[12](?:\/|$)/i;
/** What path-to-regexp and find-my-way give a meaning beyond the character itself. */
const ROUTE_SYNTAX = /[:*{}()[\]?+!\\]/;

/**
 * The rule of a registered path, judged as it is and with the global prefix taken off: guarded when either is
 * under `/v1` or `/v2`, exempt when either matches the white-list.
 */
export function ruleOfPath(
  registered: string,
  globalPrefix: string,
  whiteList: readonly AntPattern[],
): RouteRule {
  const spellings = spellingsOf(registered, globalPrefix);
  const isGuarded = spellings.some((path) => GUARDED_PATH.test(path));
  const isPlain = !ROUTE_SYNTAX.test(registered);
  if (!isGuarded && (isPlain || !spellings.some((path) => ROUTE_SYNTAX.test(firstSegment(path))))) {
    return OPEN_BY_PATH;
  }
  const opening = whiteList.find((pattern) =>
    spellings.some((path) => (isPlain ? pattern.matches(path) : opensAllOf(pattern.source, path))),
  );
  if (isGuarded && (isPlain || opening !== undefined)) {
    return opening === undefined ? PROTECTED : openByPattern(opening);
  }
  const mayBeExempt = whiteList.some(({ source }) => spellings.some((path) => mayMeet(source, path)));
  if (isGuarded && !mayBeExempt) {
    return PROTECTED;
  }
  return ruleByRequest(
    isGuarded ? 'token, or open by white-list' : 'token where the path is guarded',
    globalPrefix,
    whiteList,
  );
}

/** For routes with parameters, and for handlers behind one route that serves many paths. */
export function ruleByRequest(
  decision: RouteDecision,
  globalPrefix: string,
  whiteList: readonly AntPattern[],
): RouteRule {
  return rule(decision, (...targets) =>
    targets.some((target) => {
      const path = plainPath(target);
      if (path === undefined) {
        return true;
      }
      const spellings = spellingsOf(path, globalPrefix);
      return (
        spellings.some((spelling) => GUARDED_PATH.test(spelling)) && !isWhiteListed(spellings, whiteList)
      );
    }),
  );
}

/** Whether a pattern such as `/v1/public/**` opens whatever the parameters of a route stand for. */
function opensAllOf(pattern: string, registered: string): boolean {
  const literal = pattern.endsWith('/**') ? pattern.slice(0, -2) : undefined;
  return (
    literal !== undefined &&
    !/[*?]/.test(literal) &&
    !ROUTE_SYNTAX.test(literal) &&
    registered.startsWith(literal)
  );
}

/** Whether a pattern and a route with parameters agree up to the first segment that is not plain text in both. */
function mayMeet(pattern: string, registered: string): boolean {
  const segments = registered.toLowerCase().split('/');
  for (const [i, ofPattern] of pattern.toLowerCase().split('/').entries()) {
    const ofRoute = segments[i];
    if (/[*?]/.test(ofPattern) || ofRoute === undefined || ROUTE_SYNTAX.test(ofRoute)) {
      return true;
    }
    if (ofPattern !== ofRoute) {
      return false;
    }
  }
  return true;
}

function firstSegment(path: string): string {
  return path.replace(/^\//, '').split('/', 1)[0] ?? '';
}

/** Routers serve a path with and without its last slash from one route. */
function spellingsOf(path: string, globalPrefix: string): string[] {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (globalPrefix === '') {
    return [trimmed];
  }
  const prefix = globalPrefix.split('/');
  const segments = trimmed.split('/');
  const startsWithPrefix = prefix.every((segment, i) => sameSegment(segment, segments[i]));
  return startsWithPrefix ? [trimmed, `/${segments.slice(prefix.length).join('/')}`] : [trimmed];
}

/** A prefix may have parameters of its own (`:tenant/api`). */
function sameSegment(ofPrefix: string, ofPath: string | undefined): boolean {
  return (
    ofPath !== undefined && (ROUTE_SYNTAX.test(ofPrefix) || ofPrefix.toLowerCase() === ofPath.toLowerCase())
  );
}

function isWhiteListed(spellings: readonly string[], whiteList: readonly AntPattern[]): boolean {
  return whiteList.some((pattern) => spellings.some((path) => pattern.matches(path)));
}
