import type { EntityManager } from 'typeorm';
import type { AdminAuthority } from '../../administration/admin-authority.js';
import type { NotedEvent } from '../../contract/auth-event.js';
import { dataSourceOf, readFromPrimary } from '../database/data-source.js';
import { asBadRequest, verifyStored } from '../database/stored-strings.js';
import { AuthException, conflict } from '../../errors/auth.exception.js';
import type { TypeOrmChange } from '../users/account-changes.js';
import { AuthRole } from '../users/auth-role.entity.js';
import { AuthUser } from '../users/auth-user.entity.js';
import type { LoginUserLoader } from '../users/login-user.loader.js';
import { RoleGraph } from '../users/role.graph.js';
import { changeable, includable } from './role.rules.js';
import type { TypeOrmUserStore } from '../users/typeorm.user-store.js';

/** A role, as endpoints and commands show it. */
export interface RoleView {
  code: string;
  name: string;
  permissions: string[];
  /** The codes of the roles that it includes directly. */
  includes: string[];
}

/** Members of a role to write. */
type Written<K extends keyof RoleView> = { readonly [Name in K]?: RoleView[Name] | undefined };

/** A change of roles, in a transaction that holds the lock of administrative changes. */
export interface RoleChange extends TypeOrmChange {
  /** The authority of the person who makes the change. */
  readonly authority: AdminAuthority;
  /** A property, so that it can be destructured. */
  readonly note: (event: NotedEvent) => Promise<void>;
}

/** Runs work in a transaction of `TypeOrmUserStore.administer()`. */
export type RunRoleChange = <T>(work: (change: RoleChange) => Promise<T>) => Promise<T>;

const TAKEN = 'The code is taken';

/**
 * Lists, creates, changes and deletes roles of the default user store, and notes the events.
 *
 * @example
 * const roles = new TypeOrmRoles(users, loader, dataSource.manager);
 * const authority = new AdminAuthority({ superAdmin: true, permissions: [] });
 * await roles.create({ code: 'editor', name: 'Editor' }, (work) =>
 *   users.administer(action, (change) => work({ ...change, authority })),
 * );
 */
export class TypeOrmRoles {
  constructor(
    private readonly users: TypeOrmUserStore,
    private readonly loader: LoginUserLoader,
    private readonly manager: EntityManager,
  ) {}

  /** Ordered by code. */
  async list(): Promise<RoleView[]> {
    const graph = await this.read((manager) => RoleGraph.read(manager));
    return graph.all().map((role) => {
      const permissions = this.loader.permissionsOf(role.code, role.permissions);
      return viewOf(role, permissions, graph.includesOf(role.code));
    });
  }

  /** The codes of the roles that a user has directly, sorted. Empty for an unknown user. */
  async ofUser(id: number, transaction?: EntityManager): Promise<string[]> {
    const find = (manager: EntityManager) =>
      manager.find(AuthUser, { where: { id }, relations: { roles: true } });
    const [user] = await (transaction === undefined ? this.read(find) : find(transaction));
    return user?.roles.map(({ code }) => code).sort() ?? [];
  }

  /**
   * Creates a role.
   *
   * @param input `permissions` and `includes` are empty by default
   * @throws AuthException 40900 for a code that is taken, a cycle, and above the limits; 40000 for included roles that do
   * not exist, `SUPER_ADMIN`, and a name that the database cannot store; 40300 and 40120 for what `authority` may not
   * grant
   */
  async create(
    input: Pick<RoleView, 'code' | 'name'> & Written<'permissions' | 'includes'>,
    run: RunRoleChange,
  ): Promise<RoleView> {
    const { code, name, permissions = [], includes = [] } = input;
    const exists = () => this.read((manager) => manager.existsBy(AuthRole, { code }));
    return run(async ({ transaction, authority, note }) => {
      const graph = await RoleGraph.read(transaction);
      const included = await includable(graph, authority, { code, permissions, includes });
      if (await transaction.existsBy(AuthRole, { code })) {
        throw conflict(TAKEN);
      }
      const fields = { code, name, permissions, includes: included };
      const role = await transaction.save(transaction.create(AuthRole, fields));
      await verifyStored(transaction, AuthRole, role.id, { name });
      await note({ type: 'role-created', subject: code, detail: grantsText(permissions, includes) });
      return viewOf(role, permissions, includes);
    })
      .catch(conflictIf(exists, TAKEN))
      .catch(asBadRequest({ name }));
  }

  /**
   * Changes a role. What `input` does not have stays.
   *
   * @throws AuthException 40400; 40900 for `SUPER_ADMIN`; and those of `create()`
   */
  async change(
    code: string,
    input: Written<'name' | 'permissions' | 'includes'>,
    run: RunRoleChange,
  ): Promise<RoleView> {
    return run(async (change) => {
      const { transaction, authority, note } = change;
      const graph = await RoleGraph.read(transaction);
      const role = changeable(graph, authority, code);
      const { name = role.name, permissions = role.permissions ?? [] } = input;
      const { includes = graph.includesOf(code) } = input;
      const included = await includable(graph, authority, { code, permissions, includes });
      await transaction.save(Object.assign(role, { name, permissions, includes: included }));
      await verifyStored(transaction, AuthRole, role.id, { name: input.name });
      await this.users.renewStampsOf(graph.including(code), change);
      await note({ type: 'role-changed', subject: code, detail: grantsText(permissions, includes) });
      return viewOf(role, permissions, includes);
    }).catch(asBadRequest({ name: input.name }));
  }

  /**
   * Deletes a role.
   *
   * @throws AuthException 40400; 40900 for `SUPER_ADMIN` and for a role in use; 40300 for one that `authority` does not cover
   */
  async remove(code: string, run: RunRoleChange): Promise<void> {
    await run(async ({ transaction, authority, note }) => {
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

  private read<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return readFromPrimary(dataSourceOf(this.manager), work);
  }
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
 * these rules.
 */
function conflictIf(exists: () => Promise<boolean>, message: string): (error: unknown) => Promise<never> {
  return async (error) => {
    const isConflict = !(error instanceof AuthException) && (await exists());
    throw isConflict ? conflict(message) : error;
  };
}
