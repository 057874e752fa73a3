import type { Requirement } from '../contract/requirement.js';
import type { RouteDecision, RouteRule } from './route-rule.js';
import type { ExploredRoute } from './route.explorer.js';

/** Who may call a route, as plain data. */
export interface RouteAccess {
  /** `GET`, `POST`..., or `ALL`. */
  method: string;
  /** As it is registered with the router: prefix, version and module path included. */
  path: string;
  /** Class and method, for example `NotesController.list`. */
  handler: string;
  decision: RouteDecision;
  /** The pattern of the white-list that opens it. */
  pattern?: string;
  /** What the user needs besides a token. */
  requires?: (
    { kind: 'role' | 'permission'; names: string[]; mode: 'all' | 'any' } | { kind: 'policy'; name: string }
  )[];
  /** Whether a decorator or a pattern says so, rather than the path alone. */
  explicit: boolean;
}

/** A route with its rule. */
export type DecidedRoute = ExploredRoute & { rule: RouteRule };

export function accessOf({ method, path, controller, name, rule }: DecidedRoute): RouteAccess {
  const { decision, pattern, requirements } = rule;
  const requires = requirements
    .filter((requirement) => requirement.kind === 'policy' || requirement.names.length > 0)
    .map(described);
  return {
    method,
    path,
    handler: `${nameOf(controller)}.${name}`,
    decision,
    ...(pattern !== undefined && { pattern }),
    ...(requires.length > 0 && { requires }),
    explicit: requirements.length > 0 || decision === 'open by @Public' || decision === 'open by white-list',
  };
}

function described(requirement: Requirement): NonNullable<RouteAccess['requires']>[number] {
  return requirement.kind === 'policy'
    ? { kind: 'policy', name: requirement.policy.name }
    : { kind: requirement.kind, names: [...requirement.names], mode: requirement.mode };
}

/** One line for the log. */
export function lineOf({ method, path, handler, decision, pattern, requires = [] }: RouteAccess): string {
  const needs = requires.map((it) =>
    it.kind === 'policy'
      ? `policy ${it.name}`
      : `${it.kind} ${it.names.join(it.mode === 'any' ? ' or ' : ' and ')}`,
  );
  return `${method} ${path} (${handler}): ${[decision, ...(pattern ? [pattern] : []), ...needs].join('; ')}`;
}

/** The name of a class or function. */
export function nameOf(target: object): string {
  return (target as { name: string }).name;
}
