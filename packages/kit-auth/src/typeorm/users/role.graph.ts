import type { EntityManager } from 'typeorm';
import type { Grants } from '../../contract/user-store.js';
import { SUPER_ADMIN } from '../../users/stored-users.js';
import { AuthRole } from './auth-role.entity.js';

/** All roles and their inclusions, as a transaction sees them. Each method visits a role at most once. */
export class RoleGraph {
  private readonly roles = new Map<string, AuthRole>();
  private readonly includes = new Map<string, string[]>();
  private readonly includedBy = new Map<string, string[]>();

  /** @param inclusions pairs of codes: of the including and of the included role */
  constructor(roles: readonly AuthRole[], inclusions: readonly (readonly [string, string])[]) {
    for (const role of roles) {
      this.roles.set(role.code, role);
      this.includes.set(role.code, []);
      this.includedBy.set(role.code, []);
    }
    for (const [code, included] of inclusions) {
      this.includes.get(code)?.push(included);
      this.includedBy.get(included)?.push(code);
    }
  }

  static async read(manager: EntityManager): Promise<RoleGraph> {
    const roles = await manager.find(AuthRole, { order: { code: 'ASC' } });
    // Loading the relation with `find` takes seconds for thousands of roles.
    const inclusions = await manager
      .createQueryBuilder(AuthRole, 'role')
      .innerJoin('role.includes', 'included')
      .select('role.code', 'code')
      .addSelect('included.code', 'included')
      .getRawMany<{ code: string; included: string }>();
    return new RoleGraph(
      roles,
      inclusions.map(({ code, included }) => [code, included]),
    );
  }

  /** Ordered by code, without their relations. */
  all(): AuthRole[] {
    return [...this.roles.values()];
  }

  get(code: string): AuthRole | undefined {
    return this.roles.get(code);
  }

  /** The codes that exist. */
  rolesOf(codes: Iterable<string>): AuthRole[] {
    return [...codes].map((code) => this.roles.get(code)).filter((role) => role !== undefined);
  }

  /** The codes of the roles that a role includes directly. */
  includesOf(code: string): readonly string[] {
    return this.includes.get(code) ?? [];
  }

  /** The grants of a user with these roles. */
  grantsOf(codes: readonly string[]): Grants {
    const roles = this.rolesOf(distancesFrom(codes, this.includes).keys());
    const permissions = new Set(roles.flatMap((role) => role.permissions ?? []));
    return { superAdmin: codes.includes(SUPER_ADMIN), permissions: [...permissions] };
  }

  /** A role, and the roles that include it directly or indirectly. */
  including(code: string): AuthRole[] {
    return this.rolesOf(distancesFrom([code], this.includedBy).keys());
  }

  /** The number of roles on the longest chain of inclusions through a role, where each link is as short as it can be. */
  levelsOf(code: string): number {
    const farthest = (next: ReadonlyMap<string, readonly string[]>) =>
      [...distancesFrom([code], next).values()].at(-1) ?? 0;
    return 1 + farthest(this.includedBy) + farthest(this.includes);
  }

  /** The graph after a role is written. */
  with(code: string, permissions: readonly string[], includes: readonly string[]): RoleGraph {
    const role = Object.assign(new AuthRole(), { code, permissions });
    const others = this.all().filter((role) => role.code !== code);
    const inclusions = others.flatMap((from) =>
      this.includesOf(from.code).map((to) => [from.code, to] as const),
    );
    return new RoleGraph([...others, role], [...inclusions, ...includes.map((to) => [code, to] as const)]);
  }
}

/** Breadth-first search. @returns the codes with their distances, the nearest first */
function distancesFrom(
  codes: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const distances = new Map(codes.map((code) => [code, 0]));
  // The iteration visits the entries that it adds.
  for (const [code, distance] of distances) {
    for (const neighbor of next.get(code) ?? []) {
      if (!distances.has(neighbor)) {
        distances.set(neighbor, distance + 1);
      }
    }
  }
  return distances;
}
