import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { MAX_PASSWORD_COST } from '../../config/kit-auth.options.js';
import type { AuthAction } from '../../contract/auth-event.js';
import type { LoginUser } from '../../contract/login-user.js';
import type {
  AccountChange,
  AdministratorSeed,
  AuthUserStore,
  NewPassword,
  SeededAdministrator,
  StoredUser,
} from '../../contract/user-store.js';
import { AccountChanges } from './account-changes.js';
import { AuthUser, AuthUserStatus } from './auth-user.entity.js';
import { writeInTurn } from './current-change.js';
import { dataSourceOf } from './data-source-of.js';
import { DefaultAdministrator } from './default-administrator.js';
import { LoginUserLoader } from './login-user.loader.js';
import { noneIfUnusable } from './unusable-text.js';
import { writePassword } from './write-password.js';

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
    const user = await this.users
      .createQueryBuilder('user')
      .addSelect(['user.passwordHash', 'user.securityStamp'])
      .where('user.username = :username', { username })
      .getOne()
      .catch(noneIfUnusable(null));
    // Some databases ignore case or trailing spaces in comparisons.
    if (user?.username !== username) {
      return undefined;
    }
    const { id, passwordHash, status, securityStamp } = user;
    return { id, username, passwordHash, securityStamp, enabled: status === AuthUserStatus.ENABLED };
  }

  loadLoginUser(userId: number): Promise<LoginUser | undefined> {
    return this.loader.load(userId);
  }

  stampOf(userId: number): Promise<string | undefined> {
    return this.loader.stampOf(userId);
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
    update: NewPassword,
    { transaction }: AccountChange,
  ): Promise<boolean> {
    return writePassword(transaction as EntityManager, userId, { ...update, mustChange: false });
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
