import type { AdminAuthority } from '../../administration/admin-authority.js';
import { badRequest, conflict, notFound } from '../../errors/auth.exception.js';
import { SUPER_ADMIN } from '../../users/stored-users.js';
import type { AuthRole } from '../users/auth-role.entity.js';
import type { RoleGraph } from '../users/role.graph.js';
import { requireWithinLimits } from './role.limits.js';

/** A role to write. */
export interface WrittenRole {
  readonly code: string;
  readonly permissions: readonly string[];
  /** The codes of the roles that it includes directly. */
  readonly includes: readonly string[];
}

/**
 * A role that an administrator may change or delete.
 *
 * @throws AuthException 40400, 40900 for `SUPER_ADMIN`, 40300
 */
export function changeable(graph: RoleGraph, authority: AdminAuthority, code: string): AuthRole {
  const role = graph.get(code);
  if (role === undefined) {
    throw notFound('Role');
  }
  if (code === SUPER_ADMIN) {
    throw conflict(`${SUPER_ADMIN} is built in and cannot be changed`);
  }
  authority.require(graph.grantsOf([code]));
  return role;
}

/**
 * The roles that a role will include.
 *
 * @throws AuthException 40000 for unknown roles and `SUPER_ADMIN`, 40900 for a cycle and above the limits, 40300 when
 * the role would grant permissions that the administrator may not grant, 40120 for administrative permissions when the
 * login is not fresh
 */
export async function includable(
  graph: RoleGraph,
  authority: AdminAuthority,
  { code, permissions, includes }: WrittenRole,
): Promise<AuthRole[]> {
  const roles = graph.rolesOf(includes);
  if (graph.including(code).some((role) => includes.includes(role.code)) || includes.includes(code)) {
    throw conflict('The roles would include each other in a cycle');
  }
  if (roles.length < includes.length || includes.includes(SUPER_ADMIN)) {
    throw badRequest(`includes contains a role that does not exist, or ${SUPER_ADMIN}`);
  }
  const grants = graph.grantsOf(includes);
  await authority.requireGrant({ ...grants, permissions: [...grants.permissions, ...permissions] });
  requireWithinLimits(graph, code, permissions, includes);
  return roles;
}
