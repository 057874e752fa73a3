import type { AuthRole } from 'kit-auth';
import { conflict } from '../input/refusals.js';
import { isOfAdministration } from '../reach.js';
import type { RoleGraph } from './role.graph.js';

/**
 * Over all roles. What a request costs grows with what its user's roles bring, and what an administrative change costs
 * with all there is: nobody who manages roles is to slow the application down.
 */
const LIMITS = {
  roles: 1000,
  inclusions: 5000,
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
  const before = sizeOf(graph.all().map((role) => [role.permissions, graph.includesOf(role.code)]));
  const others = graph.all().filter((role) => role.code !== code);
  const after = sizeOf([
    ...others.map((role): Grants => [role.permissions, graph.includesOf(role.code)]),
    [permissions, includes],
  ]);
  for (const what of Object.keys(LIMITS) as (keyof Size)[]) {
    if (after[what] > LIMITS[what] && after[what] > before[what]) {
      throw conflict(`There may be at most ${LIMITS[what]} ${what}, all roles together`);
    }
  }
}

type Grants = readonly [
  permissions: AuthRole['permissions'] | readonly string[],
  includes: readonly string[],
];

function sizeOf(roles: readonly Grants[]): Size {
  const administration = new Set<string>();
  let inclusions = 0;
  let count = 0;
  for (const [permissions, includes] of roles) {
    inclusions += includes.length;
    count += permissions?.length ?? 0;
    permissions?.filter(isOfAdministration).forEach((it) => administration.add(it));
  }
  return {
    roles: roles.length,
    inclusions,
    permissions: count,
    'permissions of administration': administration.size,
  };
}
