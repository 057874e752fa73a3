import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, MoreThan, Not, Repository } from 'typeorm';
import { MAX_PASSWORD_COST } from '../../config/kit-auth.options.js';
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
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { AuthException } from '../../errors/auth.exception.js';
import { AccountChanges } from './account-changes.js';
import { AdministrationLock } from './administration-lock.js';
import { AuthUser, AuthUserStatus, newSecurityStamp } from './auth-user.entity.js';
import { writeInTurn } from '../../database/current-change.js';
import { dataSourceOf } from '../../database/data-source-of.js';
import { readFromPrimary } from '../../database/database-transactions.js';
import { DefaultAdministrator } from './default-administrator.js';
import { refusingTexts, requireKept } from '../../database/kept-texts.js';
import { isActiveAdministrator, requireAnotherAdministrator } from './last-administrator.js';
import { lookUp } from '../../database/look-up.js';
import { LoginUserLoader } from './login-user.loader.js';
import { RoleGraph } from './role.graph.js';
import { noneIfUnusable } from '../../database/unusable-text.js';
import { writePassword } from './write-password.js';

/** Stores users in the tables `auth_user` and `auth_role` of the application's data source. */
@Injectable()
export class TypeOrmUserStore implements AuthUserStore {
  private readonly lock = new AdministrationLock();

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
        .catch(noneIfUnusable(null));
    const { manager } = this.users;
    const dataSource = dataSourceOf(manager);
    // A change looks a name up to find out why it was refused. Its transaction has failed by then.
    const isOfChange = this.changes.transaction() !== undefined;
    const user = await (isOfChange
      ? readFromPrimary(dataSource, find)
      : lookUp(dataSource, () => find(manager)));
    // Some databases ignore case or trailing spaces in comparisons.
    if (user?.username !== username) {
      return undefined;
    }
    const { id, passwordHash, status, securityStamp } = user;
    return { id, username, passwordHash, securityStamp, enabled: status === AuthUserStatus.ENABLED };
  }

  loadLoginUser(userId: number): Promise<LoginUser | undefined> {
    return this.loader.load(userId, this.changes.transaction());
  }

  stampOf(userId: number): Promise<string | undefined> {
    return this.loader.stampOf(userId, this.changes.transaction());
  }

  async noteLogin(userId: number, seenStamp: string): Promise<boolean> {
    const { metadata, manager } = this.users;
    const column = metadata.updateDateColumn?.databaseName ?? '';
    // A login does not change the user, so `updatedAt` keeps its value.
    const updatedAt = () => dataSourceOf(manager).driver.escape(column);
    const { affected } = await writeInTurn(dataSourceOf(manager), () =>
      this.users.update({ id: userId, securityStamp: seenStamp }, { lastLoginAt: new Date(), updatedAt }),
    );
    return affected !== 0;
  }

  async renewHash(userId: number, from: string, to: string): Promise<void> {
    await writeInTurn(dataSourceOf(this.users.manager), () =>
      this.users.update({ id: userId, passwordHash: from }, { passwordHash: to }),
    );
  }

  async changePassword(
    userId: number,
    { mustChange = false, ...update }: NewPassword,
    { transaction }: AccountChange,
  ): Promise<boolean> {
    return writePassword(transaction as EntityManager, userId, { ...update, mustChange });
  }

  async createUser({ roles, ...fields }: NewUser, change: AccountChange): Promise<number> {
    const manager = change.transaction as EntityManager;
    const { username, nickname } = fields;
    const create = async () => {
      await requireFree(manager, username);
      const user = manager.create(AuthUser, {
        ...fields,
        status: AuthUserStatus.ENABLED,
        securityStamp: newSecurityStamp(),
        roles: (await RoleGraph.read(manager)).rolesOf(roles),
      });
      const { id } = await manager.save(user);
      await requireKept(manager, AuthUser, id, { username, nickname });
      return id;
    };
    return create().catch(refusingTexts({ username, nickname }));
  }

  async changeUsername(
    userId: number,
    { username, seenStamp }: NewUsername,
    change: AccountChange,
  ): Promise<boolean> {
    const manager = change.transaction as EntityManager;
    await requireFree(manager, username, userId);
    const { affected } = await manager.update(
      AuthUser,
      { id: userId, securityStamp: seenStamp },
      { username, securityStamp: newSecurityStamp() },
    );
    return affected !== 0;
  }

  async listUsers({ after = 0, limit }: UserPage): Promise<ListedUser[]> {
    const users = await this.users.find({
      where: { id: MoreThan(after) },
      relations: { roles: true },
      order: { id: 'ASC' },
      take: limit,
    });
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
    const manager = change.transaction as EntityManager;
    await this.lock.take(manager);
    const user = await manager.findOne(AuthUser, { where: { id }, relations: { roles: true } });
    if (user?.status !== AuthUserStatus.ENABLED) {
      return false;
    }
    if (isActiveAdministrator(user)) {
      await requireAnotherAdministrator(manager, user);
    }
    const changes = { status: AuthUserStatus.DISABLED, securityStamp: newSecurityStamp() };
    await manager.update(AuthUser, { id }, changes);
    return true;
  }

  async enableUser(id: number, { transaction }: AccountChange): Promise<boolean> {
    const { affected } = await (transaction as EntityManager).update(
      AuthUser,
      { id, status: AuthUserStatus.DISABLED },
      { status: AuthUserStatus.ENABLED, securityStamp: newSecurityStamp() },
    );
    return affected !== 0;
  }

  async grantsOf(roles: readonly string[], change?: AccountChange): Promise<Grants | undefined> {
    const read = (manager: EntityManager) => RoleGraph.read(manager);
    const graph = await (change === undefined
      ? readFromPrimary(dataSourceOf(this.users.manager), read)
      : read(change.transaction as EntityManager));
    return graph.rolesOf(roles).length < roles.length ? undefined : graph.grantsOf(roles);
  }

  ensureAdministrator(seed: AdministratorSeed): Promise<SeededAdministrator> {
    return this.administrator.ensure(seed);
  }

  async slowestHash(): Promise<string | undefined> {
    const cost = 'SUBSTR(user.passwordHash, 5, 2)';
    const row = await this.users
      .createQueryBuilder('user')
      .select('user.passwordHash', 'hash')
      .where("user.passwordHash LIKE '$2_$%'")
      .andWhere(`${cost} <= :most`, { most: String(MAX_PASSWORD_COST) })
      .orderBy(cost, 'DESC')
      .limit(1)
      .getRawOne<{ hash: string }>();
    return row?.hash;
  }

  transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    return this.changes.run(action, work);
  }
}

/** @throws AuthException 40900 when another user has the name */
async function requireFree(manager: EntityManager, username: string, exceptId?: number): Promise<void> {
  const others = exceptId === undefined ? { username } : { username, id: Not(exceptId) };
  if (await manager.existsBy(AuthUser, others)) {
    throw new AuthException(AuthErrorCode.CONFLICT, { message: 'The username is taken' });
  }
}
