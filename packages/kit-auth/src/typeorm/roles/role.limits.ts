import { isAdminPermission } from '../../administration/admin-authority.js';
import { conflict } from '../../errors/auth.exception.js';
import type { RoleGraph } from '../users/role.graph.js';

/**
 * Limits for all roles together. The cost of a request grows with the roles of its user, and the cost of an
 * administrative change with all roles. A user who may manage roles must not be able to slow down the application.
 */
const MAX = {
  roles: 2000,
  inclusions: 20_000,
  /** MySQL aborts recursive statements after 1,000 iterations, so logins would fail. */
  'levels of inclusion': 1000,
  permissions: 20_000,
  /**
   * Distinct permissions under `auth:` or beginning with `*`. Each granted one is compared with each of the
   * administrator's.
   */
  'administrative permissions': 200,
} as const;

type Size = Record<keyof typeof MAX, number>;

/**
 * Call this before a role is written. Roles that already exceed a limit, because they were written without
 * these rules, may stay as they are or shrink.
 *
 * @throws AuthException 40900
 */
export function requireWithinLimits(
  graph: RoleGraph,
  code: string,
  permissions: readonly string[],
  includes: readonly string[],
): void {
  const before = sizeOf(graph, code);
  const after = sizeOf(graph.with(code, permissions, includes), code);
  for (const what of Object.keys(MAX) as (keyof Size)[]) {
    if (after[what] > MAX[what] && after[what] > before[what]) {
      throw conflict(`All roles together can have at most ${MAX[what]} ${what}`);
    }
  }
}

/** @param code the role whose levels are counted */
function sizeOf(graph: RoleGraph, code: string): Size {
  const roles = graph.all();
  const permissions = roles.flatMap((role) => role.permissions ?? []);
  return {
    roles: roles.length,
    inclusions: roles.reduce((sum, role) => sum + graph.includesOf(role.code).length, 0),
    'levels of inclusion': graph.levelsOf(code),
    permissions: permissions.length,
    'administrative permissions': new Set(permissions.filter(isAdminPermission)).size,
  };
}
