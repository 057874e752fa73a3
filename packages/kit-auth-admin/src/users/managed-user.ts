import { type AdminAuthority, notFound } from 'kit-auth/feature';
import { AuthUser, RoleGraph } from 'kit-auth/typeorm';
import type { EntityManager } from 'typeorm';

/** The id of a user of the default user store. @throws AuthException 40400 for a string that cannot be an id */
export function userIdFrom(text: string): number {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= AuthUser.MAX_ID)) {
    throw notFound('User');
  }
  return number;
}

/** A user with their roles. @throws AuthException 40400 */
export async function userOf(manager: EntityManager, id: number): Promise<AuthUser> {
  // One statement. With a relation, findOne() needs two.
  const [user] = await manager.find(AuthUser, { where: { id }, relations: { roles: true } });
  if (user === undefined) {
    throw notFound('User');
  }
  return user;
}

/** A user whom the administrator may manage, with their roles. @throws AuthException 40400, 40300 */
export async function managedUserOf(
  manager: EntityManager,
  authority: AdminAuthority,
  id: number,
): Promise<AuthUser> {
  const user = await userOf(manager, id);
  if (user.roles.length > 0) {
    const graph = await RoleGraph.read(manager);
    authority.require(graph.grantsOf(user.roles.map(({ code }) => code)));
  }
  return user;
}
