import { Injectable } from '@nestjs/common';
import { ActiveProvider, type AdminAuthority, badRequest, conflict, notFound } from 'kit-auth/extend';
import { asBadRequest, AuthRole, AuthUser, RoleGraph, SUPER_ADMIN, verifyStored } from 'kit-auth/typeorm';
import { AuthException } from 'kit-auth';
import { Administration } from '../administration/administration.js';
import { DefaultUserStore } from '../administration/default-user-store.js';
import type { ChangeRole, CreateRole } from './role.inputs.js';
import { requireWithinLimits } from './role.limits.js';

/** A role in answers. */
export interface RoleView {
  code: string;
  name: string;
  permissions: string[];
  /** The codes of the roles that it includes directly. */
  includes: string[];
}

const WRITE = 'auth:role:write';
const TAKEN = 'The code is taken';

/** Lists, creates, changes and deletes roles. */
@Injectable()
export class RoleService {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly administration: Administration,
    private readonly provider: ActiveProvider,
  ) {}

  async list(): Promise<RoleView[]> {
    const graph = await RoleGraph.read(this.store.manager);
    return graph.all().map((role) => {
      const permissions = this.store.loader.permissionsOf(role.code, role.permissions);
      return viewOf(role, permissions, graph.includesOf(role.code));
    });
  }

  async create(input: CreateRole): Promise<RoleView> {
    const { code, name, permissions = [], includes = [] } = input;
    return this.administration
      .begin(WRITE)
      .change(async ({ transaction, authority, note }) => {
        const graph = await RoleGraph.read(transaction);
        const included = includable(graph, authority, { code, permissions, includes });
        if (await transaction.existsBy(AuthRole, { code })) {
          throw conflict(TAKEN);
        }
        const fields = { code, name, permissions, includes: included };
        const role = await transaction.save(transaction.create(AuthRole, fields));
        await verifyStored(transaction, AuthRole, role.id, { name });
        await note({ type: 'role-created', subject: code, detail: grantsText(permissions, includes) });
        return viewOf(role, permissions, includes);
      })
      .catch(conflictIf(() => this.store.manager.existsBy(AuthRole, { code }), TAKEN))
      .catch(asBadRequest(input));
  }

  async change(code: string, input: ChangeRole): Promise<RoleView> {
    const view = await this.administration
      .begin(WRITE)
      .change(async (change) => {
        const { transaction, authority, note } = change;
        const graph = await RoleGraph.read(transaction);
        const role = changeable(graph, authority, code);
        const { name = role.name, permissions = role.permissions ?? [] } = input;
        const { includes = graph.includesOf(code) } = input;
        const included = includable(graph, authority, { code, permissions, includes });
        await transaction.save(Object.assign(role, { name, permissions, includes: included }));
        await verifyStored(transaction, AuthRole, role.id, { name: input.name });
        await this.store.users.renewStampsOf(graph.including(code), change);
        await note({ type: 'role-changed', subject: code, detail: grantsText(permissions, includes) });
        return viewOf(role, permissions, includes);
      })
      .catch(asBadRequest(input));
    this.provider.userChanged();
    return view;
  }

  async remove(code: string): Promise<void> {
    await this.administration.begin(WRITE).change(async ({ transaction, authority, note }) => {
      const graph = await RoleGraph.read(transaction);
      const role = changeable(graph, authority, code);
      const holders = transaction.createQueryBuilder(AuthUser, 'user').innerJoin('user.roles', 'role');
      const isHeld = await holders.where('role.id = :id', { id: role.id }).getExists();
      if (isHeld || graph.including(code).length > 1) {
        throw conflict('The role is in use: users have it, or other roles include it');
      }
      await transaction.delete(AuthRole, { id: role.id });
      await note({ type: 'role-deleted', subject: code });
    });
  }
}

/**
 * A role that an administrator may change or delete.
 *
 * @throws AuthException 40400, 40900 for `SUPER_ADMIN`, 40300
 */
function changeable(graph: RoleGraph, authority: AdminAuthority, code: string): AuthRole {
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

/** A role to write. */
interface WrittenRole {
  code: string;
  permissions: readonly string[];
  includes: readonly string[];
}

/**
 * The roles that a role will include.
 *
 * @throws AuthException 40000 for unknown roles and `SUPER_ADMIN`, 40900 for a cycle and above the limits, 40300 when
 * the role would grant permissions that the administrator may not grant, 40120 for administrative permissions when the
 * login is not fresh
 */
function includable(
  graph: RoleGraph,
  authority: AdminAuthority,
  { code, permissions, includes }: WrittenRole,
): AuthRole[] {
  const roles = graph.rolesOf(includes);
  if (graph.including(code).some((role) => includes.includes(role.code)) || includes.includes(code)) {
    throw conflict('The roles would include each other in a cycle');
  }
  if (roles.length < includes.length || includes.includes(SUPER_ADMIN)) {
    throw badRequest(`includes contains a role that does not exist, or ${SUPER_ADMIN}`);
  }
  const grants = graph.grantsOf(includes);
  authority.requireGrant({ ...grants, permissions: [...grants.permissions, ...permissions] });
  requireWithinLimits(graph, code, permissions, includes);
  return roles;
}

function grantsText(permissions: readonly string[], includes: readonly string[]): string {
  return `permissions: ${permissions.join(', ') || 'none'}; includes: ${includes.join(', ') || 'none'}`;
}

function viewOf(
  { code, name }: AuthRole,
  permissions: readonly string[],
  includes: readonly string[],
): RoleView {
  return { code, name, permissions: [...permissions], includes: [...includes].sort() };
}

/**
 * Handles a failed insert: AuthException 40900 if the row exists by now, because other code wrote to the table without
 * this package.
 */
function conflictIf(exists: () => Promise<boolean>, message: string): (error: unknown) => Promise<never> {
  return async (error) => {
    const isConflict = !(error instanceof AuthException) && (await exists());
    throw isConflict ? conflict(message) : error;
  };
}
