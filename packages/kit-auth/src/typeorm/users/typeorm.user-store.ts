import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type DataSource, type EntityManager, In, MoreThan, Not, Repository } from 'typeorm';
import { MAX_PASSWORD_COST } from '../../contract/settings.js';
import type { AuthAction } from '../../contract/auth-event.js';
import type { LoginUser } from '../../contract/login-user.js';
import type {
  AccountChange,
  AdministratorSeed,
  AuthUserStore,
  Grants,
  ListedUser,
  NewPassword,
  NewUser,
  NewUsername,
  SeededAdministrator,
  StoredUser,
  UserPage,
} from '../../contract/user-store.js';
import { AccountChanges, type TypeOrmChange } from './account-changes.js';
import { isActiveAdministrator, requireAnotherAdministrator } from './administration-lock.js';
import { AuthRole } from './auth-role.entity.js';
import { nameKey } from '../../users/name-key.js';
import { SUPER_ADMIN } from '../../users/stored-users.js';
import { AuthUser, AuthUserStatus, newSecurityStamp } from './auth-user.entity.js';
import { currentTransaction, lookUp, serializedWrite } from '../database/connections.js';
import { dataSourceOf, isSqlite, readFromPrimary } from '../database/data-source.js';
import { DefaultAdministrator } from './default-administrator.js';
import { asBadRequest, ifUnstorable, verifyStored } from '../database/stored-strings.js';
import { junctionTable } from '../database/junction-table.js';
import { LoginUserLoader } from './login-user.loader.js';
import { RoleGraph } from './role.graph.js';
import { hasUser, refusingTaken, requireFree } from './taken-usernames.js';

const noneIfUnstorable = ifUnstorable(null);

/** Stores users in the tables `auth_user` and `auth_role` of the application's data source. */
@Injectable()
export class TypeOrmUserStore implements AuthUserStore {
  constructor(
    @InjectRepository(AuthUser) private readonly users: Repository<AuthUser>,
    private readonly loader: LoginUserLoader,
    private readonly changes: AccountChanges,
    private readonly administrator: DefaultAdministrator,
  ) {}

  async findByUsername(username: string): Promise<StoredUser | undefined> {
    const find = (manager: EntityManager) =>
      manager
        .createQueryBuilder(AuthUser, 'user')
        .addSelect(['user.passwordHash', 'user.securityStamp'])
        .where('user.username = :username', { username })
        .getOne()
        .catch(noneIfUnstorable);
    const { dataSource } = this;
    // Outside of a change: it looks a name up to find out why it was refused, and its transaction has failed by then.
    const user = await lookUp(dataSource, () => readFromPrimary(dataSource, find));
    // Some databases ignore case or trailing spaces in comparisons.
    if (user?.username !== username) {
      return undefined;
    }
    const { id, passwordHash, status, securityStamp } = user;
    const enabled = status === AuthUserStatus.ENABLED;
    return { id, username, passwordHash: passwordHash ?? undefined, securityStamp, enabled };
  }

  async usernameOf(id: number): Promise<string | undefined> {
    if (id > AuthUser.MAX_ID) {
      return undefined;
    }
    const find = (manager: EntityManager) =>
      manager.findOne(AuthUser, { select: { id: true, username: true }, where: { id } });
    return (await lookUp(this.dataSource, () => readFromPrimary(this.dataSource, find)))?.username;
  }

  isUsernameTaken(
    username: string,
    exceptId: number | undefined,
    change?: Pick<AccountChange, 'transaction'>,
  ): Promise<boolean> {
    const look = (manager: EntityManager) => hasUser(manager, username, exceptId);
    const manager = change?.transaction ?? currentTransaction(this.dataSource);
    return manager === undefined
      ? lookUp(this.dataSource, () => readFromPrimary(this.dataSource, look))
      : look(managerOf({ transaction: manager }));
  }

  loadLoginUser(userId: number): Promise<LoginUser | undefined> {
    return this.loader.load(userId, currentTransaction(this.dataSource));
  }

  async stampOf(userId: number, change?: AccountChange): Promise<string | undefined> {
    return change === undefined
      ? this.loader.stampOf(userId, currentTransaction(this.dataSource))
      : lockedStampOf(userId, managerOf(change));
  }

  async renewStamp(id: number, change: AccountChange): Promise<string> {
    const securityStamp = newSecurityStamp();
    await managerOf(change).update(AuthUser, { id }, { securityStamp });
    return securityStamp;
  }

  async noteLogin(userId: number, seenStamp: string): Promise<boolean> {
    const { dataSource } = this;
    const { metadata } = this.users;
    const column = metadata.updateDateColumn?.databaseName ?? '';
    // A login does not change the user, so `updatedAt` keeps its value.
    const updatedAt = () => dataSource.driver.escape(column);
    const { affected } = await serializedWrite(dataSource, () =>
      this.users.update({ id: userId, securityStamp: seenStamp }, { lastLoginAt: new Date(), updatedAt }),
    );
    return affected !== 0;
  }

  async renewHash(userId: number, from: string, to: string): Promise<void> {
    await serializedWrite(this.dataSource, () =>
      this.users.update({ id: userId, passwordHash: from }, { passwordHash: to }),
    );
  }

  /** @param update without `seenStamp`, the password is written for any stamp: an administrator has reset it */
  async changePassword(
    id: number,
    { passwordHash, mustChange = false, seenStamp }: Optional<NewPassword, 'seenStamp'>,
    change: AccountChange,
  ): Promise<boolean> {
    const { affected } = await managerOf(change).update(
      AuthUser,
      { id, ...(seenStamp !== undefined && { securityStamp: seenStamp }) },
      { passwordHash, mustChangePassword: mustChange, securityStamp: newSecurityStamp() },
    );
    return affected !== 0;
  }

  /** @param user with `enabled: false`, the account is created disabled */
  async createUser(
    { roles: codes, enabled = true, ...fields }: NewUser & { readonly enabled?: boolean },
    change: AccountChange,
  ): Promise<number> {
    const manager = managerOf(change);
    const { username } = fields;
    // If the nickname repeats the username, the error should name the username.
    const texts = { username, nickname: fields.nickname === username ? undefined : fields.nickname };
    const create = async () => {
      await requireFree(manager, username);
      const user = manager.create(AuthUser, {
        ...fields,
        usernameKey: nameKey(username),
        passwordHash: fields.passwordHash ?? null,
        status: enabled ? AuthUserStatus.ENABLED : AuthUserStatus.DISABLED,
        securityStamp: newSecurityStamp(),
        roles: await rolesOf(manager, codes),
      });
      const { id } = await manager.save(user);
      await verifyStored(manager, AuthUser, id, texts);
      return id;
    };
    return create().catch(asBadRequest(texts)).catch(refusingTaken(manager, username));
  }

  async changeUsername(
    id: number,
    { username, seenStamp }: NewUsername,
    change: AccountChange,
  ): Promise<boolean> {
    const manager = managerOf(change);
    await requireFree(manager, username, id);
    const { affected } = await manager
      .update(
        AuthUser,
        { id, securityStamp: seenStamp },
        { username, usernameKey: nameKey(username), securityStamp: newSecurityStamp() },
      )
      .catch(refusingTaken(manager, username, id));
    return affected !== 0;
  }

  /** @throws AuthException 40000 when the database cannot store the nickname */
  async changeNickname(id: number, nickname: string, change: AccountChange): Promise<void> {
    const manager = managerOf(change);
    const write = async () => {
      await manager.update(AuthUser, { id }, { nickname });
      await verifyStored(manager, AuthUser, id, { nickname });
    };
    await write().catch(asBadRequest({ nickname }));
  }

  /**
   * Replaces the roles of a user, and stores a new security stamp.
   *
   * @param codes of roles; those that do not exist are ignored
   * @returns false when the user is unknown, or has these roles already
   * @throws AuthException 40900 for the last administrator
   */
  async changeRoles(id: number, codes: readonly string[], change: AccountChange): Promise<boolean> {
    const manager = managerOf(change);
    const user = await this.userToChange(id, manager);
    const former = user?.roles.map(({ code }) => code) ?? [];
    const removed = user?.roles.filter(({ code }) => !codes.includes(code)) ?? [];
    const added = await rolesOf(
      manager,
      codes.filter((code) => !former.includes(code)),
    );
    if (user === undefined || removed.length + added.length === 0) {
      return false;
    }
    if (isActiveAdministrator(user) && !codes.includes(SUPER_ADMIN)) {
      await requireAnotherAdministrator(manager, user);
    }
    await manager.createQueryBuilder().relation(AuthUser, 'roles').of(id).addAndRemove(added, removed);
    await manager.update(AuthUser, { id }, { securityStamp: newSecurityStamp() });
    return true;
  }

  async listUsers({ after = 0, limit }: UserPage): Promise<ListedUser[]> {
    // Callers also look up a single user.
    const users = await readFromPrimary(this.dataSource, (manager) =>
      manager.find(AuthUser, {
        where: { id: MoreThan(after) },
        relations: { roles: true },
        order: { id: 'ASC' },
        take: limit,
      }),
    );
    return users.map(({ id, username, nickname, status, roles, lastLoginAt }) => ({
      id,
      username,
      nickname,
      lastLoginAt,
      enabled: status === AuthUserStatus.ENABLED,
      roles: roles.map(({ code }) => code).sort(),
    }));
  }

  async disableUser(id: number, change: AccountChange): Promise<boolean> {
    const manager = managerOf(change);
    const user = await this.userToChange(id, manager);
    if (user === undefined || user.status === AuthUserStatus.DISABLED) {
      return false;
    }
    if (isActiveAdministrator(user)) {
      await requireAnotherAdministrator(manager, user);
    }
    const changes = { status: AuthUserStatus.DISABLED, securityStamp: newSecurityStamp() };
    await manager.update(AuthUser, { id }, changes);
    return true;
  }

  async enableUser(id: number, change: AccountChange): Promise<boolean> {
    const { affected } = await managerOf(change).update(
      AuthUser,
      { id, status: Not(AuthUserStatus.ENABLED) },
      { status: AuthUserStatus.ENABLED, securityStamp: newSecurityStamp() },
    );
    return affected !== 0;
  }

  /** Stores new security stamps for the users who have one of the roles. */
  async renewStampsOf(roles: readonly AuthRole[], change: AccountChange): Promise<void> {
    const manager = managerOf(change);
    const { table, owner, inverse } = junctionTable(dataSourceOf(manager), AuthUser, 'roles');
    const ids = roles.map(({ id }) => id);
    await manager
      .createQueryBuilder()
      .update(AuthUser)
      .set({ securityStamp: newSecurityStamp() })
      .where(`id IN (SELECT ${owner} FROM ${table} WHERE ${inverse} IN (:...ids))`, { ids })
      .execute();
  }

  /**
   * Deletes an account.
   *
   * @returns false when the user is unknown
   * @throws AuthException 40900 for the last administrator
   */
  async deleteUser(id: number, change: AccountChange): Promise<boolean> {
    const manager = managerOf(change);
    const user = await this.userToChange(id, manager);
    if (user === undefined) {
      return false;
    }
    if (isActiveAdministrator(user)) {
      await requireAnotherAdministrator(manager, user);
    }
    await manager.createQueryBuilder().relation(AuthUser, 'roles').of(id).remove(user.roles);
    await manager.delete(AuthUser, { id });
    return true;
  }

  async grantsOf(roles: readonly string[], change?: AccountChange): Promise<Grants | undefined> {
    const read = (manager: EntityManager) => RoleGraph.read(manager);
    const graph = await (change === undefined
      ? readFromPrimary(this.dataSource, read)
      : read(managerOf(change)));
    return graph.rolesOf(roles).length < roles.length ? undefined : graph.grantsOf(roles);
  }

  ensureAdministrator(seed: AdministratorSeed): Promise<SeededAdministrator> {
    return this.administrator.ensure(seed);
  }

  async slowestHash(): Promise<string | undefined> {
    const cost = 'SUBSTR(user.passwordHash, 5, 2)';
    const row = await readFromPrimary(this.dataSource, (manager) =>
      manager
        .createQueryBuilder(AuthUser, 'user')
        .select('user.passwordHash', 'hash')
        .where("user.passwordHash LIKE '$2_$%'")
        .andWhere(`${cost} <= :most`, { most: String(MAX_PASSWORD_COST) })
        .orderBy(cost, 'DESC')
        .limit(1)
        .getRawOne<{ hash: string }>(),
    );
    return row?.hash;
  }

  transaction<T>(action: AuthAction, work: (change: TypeOrmChange) => Promise<T>): Promise<T> {
    return this.changes.run(action, work);
  }

  /** `transaction()` for the change of an administrator. They take place one at a time, across all instances. */
  administer<T>(action: AuthAction, work: (change: TypeOrmChange) => Promise<T>): Promise<T> {
    return this.changes.administer(action, work);
  }

  private get dataSource(): DataSource {
    return dataSourceOf(this.users.manager);
  }

  /** Takes the administration lock first, so that what is checked on the user still holds at the commit. */
  private async userToChange(id: number, manager: EntityManager): Promise<AuthUser | undefined> {
    await this.changes.lock.take(manager);
    // One statement. With a relation, findOne() needs two.
    const [user] = await manager.find(AuthUser, { where: { id }, relations: { roles: true } });
    return user;
  }
}

type Optional<T, Key extends keyof T> = Omit<T, Key> & Partial<Pick<T, Key>>;

function managerOf({ transaction }: Pick<AccountChange, 'transaction'>): EntityManager {
  return transaction as EntityManager;
}

/** Locks the row of the user until the end of the transaction. SQLite has no row locks, and needs none. */
async function lockedStampOf(id: number, manager: EntityManager): Promise<string | undefined> {
  const user = await manager.findOne(AuthUser, {
    select: { id: true, status: true, securityStamp: true },
    where: { id },
    loadEagerRelations: false,
    ...(!isSqlite(dataSourceOf(manager)) && { lock: { mode: 'pessimistic_write' } }),
  });
  return user?.status === AuthUserStatus.ENABLED ? user.securityStamp : undefined;
}

/** The codes that exist. Some databases ignore case in comparisons. */
async function rolesOf(manager: EntityManager, codes: readonly string[]): Promise<AuthRole[]> {
  const found = codes.length === 0 ? [] : await manager.findBy(AuthRole, { code: In(codes) });
  return found.filter(({ code }) => codes.includes(code));
}
