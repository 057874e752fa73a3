import type { AuthCredential } from '../contract/auth-credential.js';
import type { FreshFactors, Requirement } from '../contract/requirement.js';
import type { RouteDecision, RouteRule } from '../routes/route-rule.js';
import { isOpen, readsToken } from '../routes/route-rules.js';
import type { ExploredRoute } from './route.explorer.js';

/** Open without a decorator or pattern of the application. */
export const OPEN_UNDECLARED: ReadonlySet<string> = new Set<RouteDecision>([
  'open by path',
  'open by default',
]);

/** Decisions for handlers of messages only. */
export type MessageDecision =
  /** It requires a token, and no module knows the users of such messages. */
  | 'refuses every message'
  /** It has no decorators. The module that knows the users of such messages decides, for example at the handshake. */
  | 'as its connection or sender';

/** The access to a route, as plain data. */
export interface RouteAccess {
  /** `GET`, `POST`..., or `ALL`. `WS` and `RPC` for messages of gateways and microservices. */
  method: string;
  /**
   * The path as registered with the router, including prefix, version and module path. The event or the pattern of
   * messages.
   */
  path: string;
  /** Class and method, for example `NotesController.list`. */
  handler: string;
  decision: RouteDecision | MessageDecision;
  /** The pattern of the white-list or of `optional` that opens it. */
  pattern?: string;
  /** The effect of an invalid token, on a route that reads a token but needs none. */
  invalid?: 'refuse' | 'anonymous';
  /** The requirements besides a token. */
  requires?: (
    | { kind: 'role' | 'permission'; names: string[]; mode: 'all' | 'any' }
    /** `within` in seconds. */
    | { kind: 'fresh'; within: number; factors: FreshFactors | string[] }
    | { kind: 'policy'; name: string }
  )[];
  /** The schemes of credentials whose tokens may call it too, such as `api-key`. Absent if there are none. */
  credentials?: string[];
  /** Whether a decorator or a pattern decides, and not only the path. */
  explicit: boolean;
}

/** A route with its rule. */
export type DecidedRoute = ExploredRoute & { rule: RouteRule };

/** @param credentials of the application */
export function accessOf(
  { method, path, controller, handler, name, rule, ours }: DecidedRoute,
  credentials: readonly AuthCredential[] = [],
): RouteAccess {
  const { decision, pattern, optional, requirements, when } = rule;
  const requires = requirements.filter(asksForMore).map(described);
  const schemes = credentials
    .filter(
      (credential) =>
        readsToken(rule) && (credential.allows?.({ controller, handler, requirements, ours }) ?? true),
    )
    .map(({ scheme }) => scheme);
  return {
    method,
    path,
    handler: `${nameOf(controller)}.${name}`,
    decision,
    ...(pattern !== undefined && { pattern }),
    ...(optional !== undefined && { invalid: optional.invalid ?? 'refuse' }),
    ...(requires.length > 0 && { requires }),
    ...(schemes.length > 0 && { credentials: schemes }),
    explicit:
      requirements.length > 0 || when !== undefined || (isOpen(rule) && !OPEN_UNDECLARED.has(decision)),
  };
}

/** False for the requirement of `@RequireToken()`. */
export function asksForMore(requirement: Requirement): boolean {
  return !('names' in requirement) || requirement.names.length > 0;
}

type Required = NonNullable<RouteAccess['requires']>[number];

export function described(requirement: Requirement): Required {
  switch (requirement.kind) {
    case 'policy':
      return { kind: 'policy', name: requirement.policy.name };
    case 'fresh': {
      const { kind, within, factors } = requirement;
      return { kind, within, factors: typeof factors === 'string' ? factors : [...factors] };
    }
    default:
      return { kind: requirement.kind, names: [...requirement.names], mode: requirement.mode };
  }
}

/** One line for the log. */
export function lineOf(route: RouteAccess): string {
  return `${route.method} ${route.path} (${route.handler}): ${textOf(route)}`;
}

/** Describes the access to a route, such as `token; permission note:read; also by api-key`. */
export function textOf({ decision, pattern, invalid, requires = [], credentials }: RouteAccess): string {
  return [
    decision,
    ...(pattern === undefined ? [] : [pattern]),
    ...(invalid === 'anonymous' ? ['ignores invalid tokens'] : []),
    ...requires.map(needOf),
    ...(credentials === undefined ? [] : [`also by ${credentials.join(' and ')}`]),
  ].join('; ');
}

/** The factors to show, for each keyword of `@RequireFresh({ factors })`. */
const SHOWN = {
  any: 'any factor',
  full: 'password and any second factor',
  second: 'second factor if the user has one',
  'second-or-recovery': 'second factor if the user has one, or recovery code',
} satisfies Record<FreshFactors, string>;

/** One requirement, such as `role editor or author`. */
export function needOf(required: Required): string {
  switch (required.kind) {
    case 'policy':
      return `policy ${required.name}`;
    case 'fresh': {
      const { within, factors } = required;
      const shown = typeof factors === 'string' ? SHOWN[factors] : factors.join(' or ');
      return `fresh login (${shown}, last ${within % 60 === 0 ? `${within / 60} minutes` : `${within} seconds`})`;
    }
    default:
      return `${required.kind} ${required.names.join(required.mode === 'any' ? ' or ' : ' and ')}`;
  }
}

/** The name of a class or function. */
export function nameOf(target: object): string {
  return (target as { name: string }).name;
}
