import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type AccountChange,
  type AuthAction,
  AuthErrorCode,
  type AuthEvent,
  AuthEvents,
  AuthException,
  type AuthUserStore,
  type Grants,
  type ListedUser,
  type LoginUser,
  type NewPassword,
  type NewUser,
  type NewUsername,
  type StoredUser,
  type UserPage,
} from 'kit-auth';
import { EntityManager, In, MoreThan, Not, Repository } from 'typeorm';
import { Role } from './role.entity';
import { User } from './user.entity';

@Injectable()
export class TypeOrmUserStore implements AuthUserStore {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly events: AuthEvents,
  ) {}

  /** Required for a login. */
  async findByUsername(username: string): Promise<StoredUser | undefined> {
    if (username.includes('\0')) {
      return undefined; // PostgreSQL rejects it
    }
    const user = await this.users.findOne({
      where: { email: username },
      select: { id: true, password: true, isActive: true, securityStamp: true },
    });
    if (user === null) {
      return undefined;
    }
    const { id, password, isActive, securityStamp } = user;
    return { id, username, passwordHash: password, enabled: isActive, securityStamp };
  }

  /** Required: the current user of requests. */
  async loadLoginUser(userId: number): Promise<LoginUser | undefined> {
    const user = await this.users.findOne({
      where: { id: userId, isActive: true },
      relations: { roles: true },
    });
    if (user === null) {
      return undefined;
    }
    const roles = user.roles.map(({ name }) => name);
    return {
      userId: user.id,
      username: user.email,
      nickname: user.firstName,
      superAdmin: roles.includes('admin'),
      roles,
      permissions: [],
    };
  }

  async stampOf(userId: number): Promise<string | undefined> {
    const user = await this.users.findOne({
      where: { id: userId, isActive: true },
      select: { id: true, securityStamp: true },
    });
    return user?.securityStamp;
  }

  /** Refuses a login if the user has changed since the password check. */
  async noteLogin(userId: number, seenStamp: string): Promise<boolean> {
    return this.users.existsBy({ id: userId, securityStamp: seenStamp });
  }

  /** Replaces a hash whose cost is too low. The stamp stays, so that other sessions of the user go on. */
  async renewHash(userId: number, from: string, to: string): Promise<void> {
    await this.users.update({ id: userId, password: from }, { password: to });
  }

  /** For `POST password`. */
  async changePassword(
    userId: number,
    { passwordHash, seenStamp }: NewPassword,
    change: AccountChange,
  ): Promise<boolean> {
    const { affected } = await (change.transaction as EntityManager).update(
      User,
      { id: userId, securityStamp: seenStamp },
      { password: passwordHash, securityStamp: randomUUID() },
    );
    return affected === 1;
  }

  /** For `kit-auth-registration` and `kit-auth user create`. */
  async createUser(
    { username, nickname, passwordHash = '', roles }: NewUser,
    change: AccountChange,
  ): Promise<number> {
    const manager = change.transaction as EntityManager;
    const { identifiers } = await manager
      .createQueryBuilder()
      .insert()
      .into(User)
      .values({ email: username, firstName: nickname, lastName: '', password: passwordHash })
      .orIgnore()
      .execute();
    const id = identifiers[0]?.id as number | undefined;
    if (id === undefined) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    const granted = await manager.findBy(Role, { name: In(roles) });
    await manager.createQueryBuilder().relation(User, 'roles').of(id).add(granted);
    return id;
  }

  /** For `kit-auth-email`: a new address is also the new username. */
  async changeUsername(
    userId: number,
    { username, seenStamp }: NewUsername,
    change: AccountChange,
  ): Promise<boolean> {
    const manager = change.transaction as EntityManager;
    if (await manager.existsBy(User, { email: username, id: Not(userId) })) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    const { affected } = await manager.update(
      User,
      { id: userId, securityStamp: seenStamp },
      { email: username, securityStamp: randomUUID() },
    );
    return affected === 1;
  }

  /** For `kit-auth user list`. */
  async listUsers({ after = 0, limit }: UserPage): Promise<ListedUser[]> {
    const users = await this.users.find({
      where: { id: MoreThan(after) },
      relations: { roles: true },
      order: { id: 'ASC' },
      take: limit,
    });
    return users.map(({ id, email, firstName, isActive, roles }) => ({
      id,
      username: email,
      nickname: firstName,
      enabled: isActive,
      roles: roles.map(({ name }) => name),
    }));
  }

  /** For `kit-auth user disable`. */
  async disableUser(userId: number, change: AccountChange): Promise<boolean> {
    const { affected } = await (change.transaction as EntityManager).update(
      User,
      { id: userId, isActive: true },
      { isActive: false, securityStamp: randomUUID() },
    );
    return affected === 1;
  }

  /** For `kit-auth user disable --enable`. */
  async enableUser(userId: number, change: AccountChange): Promise<boolean> {
    const { affected } = await (change.transaction as EntityManager).update(
      User,
      { id: userId, isActive: false },
      { isActive: true, securityStamp: randomUUID() },
    );
    return affected === 1;
  }

  /** For roles that users get at registration, by invitation or by `kit-auth user create`. */
  async grantsOf(codes: readonly string[]): Promise<Grants | undefined> {
    const found = await this.users.manager.countBy(Role, { name: In(codes) });
    if (found < new Set(codes).size) {
      return undefined;
    }
    return { superAdmin: codes.includes('admin'), permissions: [] };
  }

  /** Stores a change and its events together. */
  async transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const kept: AuthEvent[] = [];
    const result = await this.users.manager.transaction((manager) =>
      action.run(() =>
        work({
          transaction: manager,
          note: async (event) => void kept.push(await action.keep(event, manager)),
        }),
      ),
    );
    kept.forEach((event) => this.events.emit(event)); // calls the listeners and sends notices
    return result;
  }
}
