import { conflict, isAdminPermission } from 'kit-auth/extend';
import type { RoleGraph } from 'kit-auth/typeorm';

/**
 * For all roles in total. The cost of a request grows with the roles of its user, and the cost of an administrative
 * change with all roles. A user who may manage roles must not be able to slow down the application.
 */
const MAX = {
  roles: 2000,
  inclusions: 20_000,
  /** MySQL ends a recursive statement after 1,000 rounds, and with it the login. */
  'levels of inclusion': 1000,
  permissions: 20_000,
  /** Different ones under `auth:` or beginning with `*`: each one granted is compared with each one of the administrator. */
  'administrative permissions': 200,
} as const;

type Size = Record<keyof typeof MAX, number>;

/**
 * Call it before a role is written. Roles that already exceed a limit, because they were written without this package,
 * may stay as they are or shrink.
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

/** @param code the role whose levels count */
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
