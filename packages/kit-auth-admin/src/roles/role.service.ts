import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AuthException, type LoginUser } from 'kit-auth';
import { ActiveProvider } from 'kit-auth/extend';
import { AuthRole, AuthUser, LoginUserLoader, newSecurityStamp, SUPER_ADMIN } from 'kit-auth/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Administration } from '../administration.js';
import { requireKept } from '../input/kept-texts.js';
import { badRequest, conflict, notFound } from '../input/refusals.js';
import { requireReach } from '../reach.js';
import { RoleGraph } from './role.graph.js';
import type { ChangeRole, CreateRole } from './role.inputs.js';
import { requireRoom } from './role.limits.js';

export interface RoleView {
  code: string;
  name: string;
  permissions: string[];
  /** The codes of the roles that it includes. */
  includes: string[];
}

const WRITE = 'auth:role:write';

/** What administrators do with roles. */
@Injectable()
export class RoleService {
  constructor(
    @InjectRepository(AuthRole) private readonly roles: Repository<AuthRole>,
    private readonly administration: Administration,
    private readonly provider: ActiveProvider,
    private readonly users: LoginUserLoader,
  ) {}

  async list(): Promise<RoleView[]> {
    const graph = await RoleGraph.read(this.roles.manager);
    return graph.all().map((role) => {
      const permissions = this.users.permissionsOf(role.code, role.permissions);
      return viewOf(role, permissions, graph.includesOf(role.code));
    });
  }

  async create({ code, name, permissions = [], includes = [] }: CreateRole): Promise<RoleView> {
    try {
      return await this.administration.begin(WRITE).change(async ({ transaction: manager, actor, note }) => {
        const graph = await RoleGraph.read(manager);
        const included = this.includable(actor, graph, code, permissions, includes);
        if (await manager.existsBy(AuthRole, { code })) {
          throw taken();
        }
        const role = await manager.save(
          manager.create(AuthRole, { code, name, permissions, includes: included }),
        );
        await requireKept(manager, AuthRole, role.id, { name });
        await note({ type: 'role-created', subject: code, detail: grants(permissions, includes) });
        return viewOf(role, permissions, includes);
      });
    } catch (error) {
      const isTaken = !(error instanceof AuthException) && (await this.roles.existsBy({ code }));
      throw isTaken ? taken() : error;
    }
  }

  async change(code: string, input: ChangeRole): Promise<RoleView> {
    const view = await this.administration
      .begin(WRITE)
      .change(async ({ transaction: manager, actor, note }) => {
        const graph = await RoleGraph.read(manager);
        const role = this.changeable(actor, graph, code);
        const { name = role.name, permissions = role.permissions ?? [] } = input;
        const { includes = graph.includesOf(code) } = input;
        const included = this.includable(actor, graph, code, permissions, includes);
        await manager.save(Object.assign(role, { name, permissions, includes: included }));
        await requireKept(manager, AuthRole, role.id, { name: input.name });
        await restamp(manager, graph.including(code));
        await note({ type: 'role-changed', subject: code, detail: grants(permissions, includes) });
        return viewOf(role, permissions, includes);
      });
    this.provider.userChanged();
    return view;
  }

  async remove(code: string): Promise<void> {
    await this.administration.begin(WRITE).change(async ({ transaction: manager, actor, note }) => {
      const graph = await RoleGraph.read(manager);
      const role = this.changeable(actor, graph, code);
      const holders = manager.createQueryBuilder(AuthUser, 'user').innerJoin('user.roles', 'role');
      const isHeld = await holders.where('role.id = :id', { id: role.id }).getExists();
      if (isHeld || graph.including(code).length > 1) {
        throw conflict('The role is in use: users have it, or other roles include it');
      }
      await manager.delete(AuthRole, { id: role.id });
      await note({ type: 'role-deleted', subject: code });
    });
  }

  /** @throws AuthException 40400, 40900 for the built-in one, 40300 */
  private changeable(actor: LoginUser, graph: RoleGraph, code: string): AuthRole {
    const role = graph.get(code);
    if (role === undefined) {
      throw notFound('role');
    }
    if (code === SUPER_ADMIN) {
      throw conflict(`${SUPER_ADMIN} is built in`);
    }
    requireReach(actor, graph.powerOf([code]));
    return role;
  }

  /**
   * The roles that a role is to include.
   *
   * @throws AuthException 40000 for unknown ones and `SUPER_ADMIN`, 40900 for a circle and for too many, 40300 where the current user
   * lacks what the role would grant
   */
  private includable(
    actor: LoginUser,
    graph: RoleGraph,
    code: string,
    permissions: readonly string[],
    includes: readonly string[],
  ): AuthRole[] {
    const roles = includes.map((it) => graph.get(it)).filter((role) => role !== undefined);
    if (graph.including(code).some((role) => includes.includes(role.code)) || includes.includes(code)) {
      throw conflict('The roles would include each other in a circle');
    }
    if (roles.length < includes.length || includes.includes(SUPER_ADMIN)) {
      throw badRequest(`includes has a role that does not exist, or ${SUPER_ADMIN}`);
    }
    const power = graph.powerOf(includes);
    requireReach(actor, { ...power, permissions: [...power.permissions, ...permissions] });
    requireRoom(graph, code, permissions, includes);
    return roles;
  }
}

/** Whoever has one of the roles may do other things now. */
async function restamp(manager: EntityManager, roles: readonly AuthRole[]): Promise<void> {
  const { driver } = manager.dataSource;
  const junction = manager.dataSource.getMetadata(AuthUser).findRelationWithPropertyPath('roles');
  const table = junction?.junctionEntityMetadata?.tablePath
    .split('.')
    .map((it) => driver.escape(it))
    .join('.');
  await manager
    .createQueryBuilder()
    .update(AuthUser)
    .set({ securityStamp: newSecurityStamp() })
    .where(
      `id IN (SELECT ${driver.escape('userId')} FROM ${table ?? ''} WHERE ${driver.escape('roleId')} IN (:...ids))`,
      { ids: roles.map(({ id }) => id) },
    )
    .execute();
}

function grants(permissions: readonly string[], includes: readonly string[]): string {
  return `permissions: ${permissions.join(', ') || 'none'}; includes: ${includes.join(', ') || 'none'}`;
}

function viewOf(
  { code, name }: AuthRole,
  permissions: readonly string[],
  includes: readonly string[],
): RoleView {
  return { code, name, permissions: [...permissions], includes: [...includes].sort() };
}

function taken() {
  return conflict('The code is taken');
}
