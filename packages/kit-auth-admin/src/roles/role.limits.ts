import { conflict } from '../input/refusals.js';
import { isOfAdministration } from '../reach.js';
import type { RoleGraph } from './role.graph.js';

/**
 * For all roles together. What a request costs grows with what its user's roles bring, and what an administrative change
 * costs with all there is: nobody who manages roles is to slow the application down.
 */
const LIMITS = {
  roles: 2000,
  inclusions: 20_000,
  /** MySQL ends a recursive statement after 1,000 rounds, and the login with it. */
  'levels of inclusion': 1000,
  permissions: 20_000,
  /** Different ones under `auth:` or with `*` in front: each that is handed out is compared with each that one has. */
  'permissions of administration': 200,
} as const;

type Size = Record<keyof typeof LIMITS, number>;

/**
 * To be asked before a role is written. What exceeds a limit already (it was written past this package) may stay or shrink.
 *
 * @throws AuthException 40900
 */
export function requireRoom(
  graph: RoleGraph,
  code: string,
  permissions: readonly string[],
  includes: readonly string[],
): void {
  const before = sizeOf(graph, code);
  const after = sizeOf(graph.with(code, permissions, includes), code);
  for (const what of Object.keys(LIMITS) as (keyof Size)[]) {
    if (after[what] > LIMITS[what] && after[what] > before[what]) {
      throw conflict(`There may be at most ${LIMITS[what]} ${what}, all roles together`);
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
    'permissions of administration': new Set(permissions.filter(isOfAdministration)).size,
  };
}
