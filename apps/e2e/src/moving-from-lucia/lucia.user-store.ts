import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type AccountChange,
  type AuthAction,
  AuthErrorCode,
  type AuthEvent,
  AuthEvents,
  AuthException,
  type AuthUserStore,
  type LoginUser,
  type NewPassword,
  type NewUser,
  type NewUsername,
  type StoredUser,
  type UserId,
} from 'kit-auth';
import { DataSource, type EntityManager } from 'typeorm';

/** What roles may do. `admin` has every permission. */
const PERMISSIONS: Record<string, string[]> = { editor: ['note:*'] };

/** The users of an application with Lucia, in its table `user`. */
@Injectable()
export class LuciaUserStore implements AuthUserStore {
  readonly idType = 'string';

  constructor(
    @InjectDataSource() private readonly db: DataSource,
    private readonly events: AuthEvents,
  ) {}

  async findByUsername(username: string): Promise<StoredUser | undefined> {
    if (username.includes('\0')) {
      return undefined; // PostgreSQL rejects it
    }
    const [user] = await this.db.query<StoredUser[]>(
      `select "id", "email" as "username", "password_hash" as "passwordHash", not "disabled" as "enabled",
              "security_stamp" as "securityStamp"
       from "user" where "email" = $1`,
      [username],
    );
    return user;
  }

  async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    const [user] = await this.db.query<{ email: string; nickname: string; roles: string[] }[]>(
      `select "email", coalesce("nickname", "email") as "nickname", "roles"
       from "user" where "id" = $1 and not "disabled"`,
      [userId],
    );
    return (
      user && {
        userId,
        username: user.email,
        nickname: user.nickname,
        superAdmin: user.roles.includes('admin'),
        roles: user.roles,
        permissions: user.roles.flatMap((role) => PERMISSIONS[role] ?? []),
      }
    );
  }

  async stampOf(userId: UserId): Promise<string | undefined> {
    const [user] = await this.db.query<{ security_stamp: string }[]>(
      `select "security_stamp" from "user" where "id" = $1 and not "disabled"`,
      [userId],
    );
    return user?.security_stamp;
  }

  /** Refuses a login if the user has changed since the password check. */
  async noteLogin(userId: UserId, seenStamp: string): Promise<boolean> {
    return (await this.stampOf(userId)) === seenStamp;
  }

  changePassword(
    userId: UserId,
    { passwordHash, seenStamp }: NewPassword,
    { transaction }: AccountChange,
  ): Promise<boolean> {
    return this.update(transaction, 'password_hash', [userId, seenStamp, passwordHash]);
  }

  /** For `kit-auth-registration` and `kit-auth user create`. */
  async createUser(
    { username, nickname, passwordHash, roles }: NewUser,
    { transaction }: AccountChange,
  ): Promise<UserId> {
    const [user] = await (transaction as EntityManager).query<{ id: UserId }[]>(
      `insert into "user" ("id", "email", "nickname", "password_hash", "roles") values ($1, $2, $3, $4, $5)
       on conflict do nothing returning "id"`,
      [randomUUID(), username, nickname, passwordHash, roles],
    );
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    return user.id;
  }

  /** For `kit-auth-email`: a new address is also the new username. */
  async changeUsername(
    userId: UserId,
    { username, seenStamp }: NewUsername,
    { transaction }: AccountChange,
  ): Promise<boolean> {
    const taken = await (transaction as EntityManager).query<unknown[]>(
      `select 1 from "user" where "email" = $1 and "id" <> $2`,
      [username, userId],
    );
    if (taken.length > 0) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    return this.update(transaction, 'email', [userId, seenStamp, username]);
  }

  /** Stores a change and its events together. */
  async transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const kept: AuthEvent[] = [];
    const result = await this.db.transaction((manager) =>
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

  /** Renews the stamp, too. @returns false if the user has another stamp by now */
  private async update(
    transaction: unknown,
    column: 'email' | 'password_hash',
    [userId, seenStamp, value]: [UserId, string, string],
  ): Promise<boolean> {
    const [, count] = await (transaction as EntityManager).query<[unknown, number]>(
      `update "user" set "${column}" = $3, "security_stamp" = $4 where "id" = $1 and "security_stamp" = $2`,
      [userId, seenStamp, value, randomUUID()],
    );
    return count === 1;
  }
}
