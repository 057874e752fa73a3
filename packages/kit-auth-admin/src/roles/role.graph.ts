import { AuthRole, SUPER_ADMIN } from 'kit-auth';
import type { EntityManager } from 'typeorm';
import type { Power } from '../reach.js';

/** All roles and which includes which. Built of what a transaction sees. */
export class RoleGraph {
  private readonly roles: ReadonlyMap<string, AuthRole>;

  constructor(roles: readonly AuthRole[]) {
    this.roles = new Map(roles.map((role) => [role.code, role]));
  }

  static async read(manager: EntityManager): Promise<RoleGraph> {
    return new RoleGraph(await manager.find(AuthRole, { relations: { includes: true } }));
  }

  get(code: string): AuthRole | undefined {
    return this.roles.get(code);
  }

  /** What somebody may do who is bound to these roles. */
  powerOf(codes: readonly string[]): Power {
    const reached = reach(codes, (code) => this.roles.get(code)?.includes.map((it) => it.code) ?? []);
    const permissions = [...reached].flatMap((code) => this.roles.get(code)?.permissions ?? []);
    return { superAdmin: codes.includes(SUPER_ADMIN), permissions };
  }

  /** A role, and those that include it, at whatever remove. */
  including(code: string): AuthRole[] {
    const roles = [...this.roles.values()];
    const reached = reach([code], (included) =>
      roles.filter(({ includes }) => includes.some((it) => it.code === included)).map((it) => it.code),
    );
    return roles.filter((role) => reached.has(role.code));
  }
}

function reach(from: readonly string[], next: (code: string) => readonly string[]): Set<string> {
  const reached = new Set(from);
  for (const code of reached) {
    next(code).forEach((it) => reached.add(it));
  }
  return reached;
}
