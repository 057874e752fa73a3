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

/** What roles may do, as in `createAccessControl()` of better-auth. `admin` has every permission. */
const PERMISSIONS: Record<string, string[]> = { editor: ['note:*'] };

/** The users of better-auth, in its tables `user` and `account`. */
@Injectable()
export class BetterAuthUserStore implements AuthUserStore {
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
      `select u."id", u."email" as "username", a."password" as "passwordHash",
              not u."disabled" as "enabled", u."securityStamp"
       from "user" u left join "account" a on a."userId" = u."id" and a."providerId" = 'credential'
       where u."email" = $1`,
      [username],
    );
    return user;
  }

  async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
    const [user] = await this.db.query<{ email: string; name: string; roles: string[] }[]>(
      `select "email", "name", "roles" from "user" where "id" = $1 and not "disabled"`,
      [userId],
    );
    return (
      user && {
        userId,
        username: user.email,
        nickname: user.name,
        superAdmin: user.roles.includes('admin'),
        roles: user.roles,
        permissions: user.roles.flatMap((role) => PERMISSIONS[role] ?? []),
      }
    );
  }

  async stampOf(userId: UserId): Promise<string | undefined> {
    const [user] = await this.db.query<{ securityStamp: string }[]>(
      `select "securityStamp" from "user" where "id" = $1 and not "disabled"`,
      [userId],
    );
    return user?.securityStamp;
  }

  /** Refuses a login if the user has changed since the password check. */
  async noteLogin(userId: UserId, seenStamp: string): Promise<boolean> {
    return (await this.stampOf(userId)) === seenStamp;
  }

  async changePassword(
    userId: UserId,
    { passwordHash, seenStamp }: NewPassword,
    change: AccountChange,
  ): Promise<boolean> {
    const manager = change.transaction as EntityManager;
    if (!(await renewStamp(manager, userId, seenStamp))) {
      return false;
    }
    const [, count] = await manager.query<[unknown, number]>(
      `update "account" set "password" = $2, "updatedAt" = now()
       where "userId" = $1 and "providerId" = 'credential'`,
      [userId, passwordHash],
    );
    if (count === 0) {
      await addPassword(manager, userId, passwordHash); // until now, this user has logged in elsewhere
    }
    return true;
  }

  /** For `kit-auth-registration` and `kit-auth user create`. */
  async createUser(
    { username, nickname, passwordHash, roles }: NewUser,
    change: AccountChange,
  ): Promise<UserId> {
    const manager = change.transaction as EntityManager;
    const [user] = await manager.query<{ id: UserId }[]>(
      `insert into "user" ("id", "name", "email", "emailVerified", "roles") values ($1, $2, $3, true, $4)
       on conflict do nothing returning "id"`,
      [randomUUID(), nickname, username, roles],
    );
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    if (passwordHash !== undefined) {
      await addPassword(manager, user.id, passwordHash);
    }
    return user.id;
  }

  /** For `kit-auth-email`: a new address is also the new username. */
  async changeUsername(
    userId: UserId,
    { username, seenStamp }: NewUsername,
    change: AccountChange,
  ): Promise<boolean> {
    const manager = change.transaction as EntityManager;
    const taken = await manager.query<unknown[]>(`select 1 from "user" where "email" = $1 and "id" <> $2`, [
      username,
      userId,
    ]);
    if (taken.length > 0) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    if (!(await renewStamp(manager, userId, seenStamp))) {
      return false;
    }
    await manager.query(`update "user" set "email" = $2 where "id" = $1`, [userId, username]);
    return true;
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
}

/** @returns false if the user has another stamp by now */
async function renewStamp(manager: EntityManager, userId: UserId, seenStamp: string): Promise<boolean> {
  const [, count] = await manager.query<[unknown, number]>(
    `update "user" set "securityStamp" = $3, "updatedAt" = now() where "id" = $1 and "securityStamp" = $2`,
    [userId, seenStamp, randomUUID()],
  );
  return count === 1;
}

async function addPassword(manager: EntityManager, userId: UserId, passwordHash: string): Promise<void> {
  await manager.query(
    `insert into "account" ("id", "accountId", "providerId", "userId", "password", "updatedAt")
     values ($1, $2, 'credential', $2, $3, now())`,
    [randomUUID(), userId, passwordHash],
  );
}
