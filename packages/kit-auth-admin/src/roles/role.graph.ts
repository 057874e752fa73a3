import { AuthRole, SUPER_ADMIN } from 'kit-auth/typeorm';
import type { EntityManager } from 'typeorm';
import type { Power } from '../reach.js';

/** All roles and which includes which. Built of what a transaction sees. Each question takes one walk at most. */
export class RoleGraph {
  private readonly roles = new Map<string, AuthRole>();
  private readonly includes = new Map<string, string[]>();
  private readonly includedBy = new Map<string, string[]>();

  /** @param inclusions pairs of codes: what includes, and what is included */
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
    // TypeORM's own way to related entities takes seconds for thousands of them.
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

  /** In the order of their codes, without their relations. */
  all(): AuthRole[] {
    return [...this.roles.values()];
  }

  get(code: string): AuthRole | undefined {
    return this.roles.get(code);
  }

  /** The codes of what a role includes itself. */
  includesOf(code: string): readonly string[] {
    return this.includes.get(code) ?? [];
  }

  /** What somebody may do who is bound to these roles. */
  powerOf(codes: readonly string[]): Power {
    const permissions = new Set<string>();
    for (const code of reach(codes, this.includes).keys()) {
      this.roles.get(code)?.permissions?.forEach((it) => permissions.add(it));
    }
    return { superAdmin: codes.includes(SUPER_ADMIN), permissions: [...permissions] };
  }

  /** A role, and those that include it, at whatever remove. */
  including(code: string): AuthRole[] {
    return [...reach([code], this.includedBy).keys()]
      .map((it) => this.roles.get(it))
      .filter((role) => role !== undefined);
  }

  /** How many roles follow each other at most, from one that includes a role to one that it includes. */
  levelsOf(code: string): number {
    const farthest = (next: ReadonlyMap<string, readonly string[]>) =>
      [...reach([code], next).values()].at(-1) ?? 0;
    return 1 + farthest(this.includedBy) + farthest(this.includes);
  }

  /** What it is once a role is written. */
  with(code: string, permissions: readonly string[], includes: readonly string[]): RoleGraph {
    const role = Object.assign(new AuthRole(), { code, permissions });
    const others = this.all().filter((it) => it.code !== code);
    const inclusions = others.flatMap((it) => this.includesOf(it.code).map((to) => [it.code, to] as const));
    return new RoleGraph([...others, role], [...inclusions, ...includes.map((to) => [code, to] as const)]);
  }
}

/** @returns how far away each is, the nearest first */
function reach(from: readonly string[], next: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const reached = new Map(from.map((code) => [code, 0]));
  // A map is walked in the order in which it grows.
  for (const [code, distance] of reached) {
    for (const it of next.get(code) ?? []) {
      if (!reached.has(it)) {
        reached.set(it, distance + 1);
      }
    }
  }
  return reached;
}
