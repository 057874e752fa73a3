import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, gt, ne } from 'drizzle-orm';
import {
  type AccountChange,
  type AdministratorSeed,
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
  type SeededAdministrator,
  type StoredUser,
  type UserPage,
} from 'kit-auth';
import { DATABASE, type Database, type Transaction } from '../database/database.module.js';
import { type Role, role, userRoles, users } from '../database/schema.js';

declare module 'kit-auth' {
  interface KitAuthTypes {
    userId: string;
  }
}

/** What each role of this application may do. */
const PERMISSIONS: Record<Role, readonly string[]> = {
  admin: ['*'],
  editor: ['article:*'],
  reader: ['article:read'],
};

const isRole = (code: string): code is Role => role.enumValues.includes(code as Role);

@Injectable()
export class DrizzleUserStore implements AuthUserStore {
  readonly idType = 'string';

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly events: AuthEvents,
  ) {}

  /** Required for a login. */
  async findByUsername(username: string): Promise<StoredUser | undefined> {
    if (username.includes('\0')) {
      return undefined; // PostgreSQL rejects it
    }
    const user = await this.db.query.users.findFirst({ where: eq(users.email, username) });
    return user && { ...user, username: user.email, enabled: user.active };
  }

  /** Required: the current user of requests. */
  async loadLoginUser(userId: string): Promise<LoginUser | undefined> {
    const user = await this.db.query.users.findFirst({
      where: and(eq(users.id, userId), eq(users.active, true)),
      with: { roles: true },
    });
    if (user === undefined) {
      return undefined;
    }
    const roles = user.roles.map(({ role }) => role);
    return {
      userId: user.id,
      username: user.email,
      nickname: user.fullName,
      superAdmin: roles.includes('admin'),
      roles,
      permissions: roles.flatMap((role) => PERMISSIONS[role]),
    };
  }

  /** For `jwt.checkStamp`: tokens end when the password, the status or the roles change. */
  async stampOf(userId: string): Promise<string | undefined> {
    const user = await this.db.query.users.findFirst({
      where: and(eq(users.id, userId), eq(users.active, true)),
      columns: { securityStamp: true },
    });
    return user?.securityStamp;
  }

  async noteLogin(userId: string, seenStamp: string): Promise<boolean> {
    const noted = await this.db
      .update(users)
      .set({ lastLoginAt: new Date() })
      .where(and(eq(users.id, userId), eq(users.securityStamp, seenStamp)))
      .returning({ id: users.id });
    return noted.length === 1;
  }

  /** Replaces a hash whose cost is too low. The stamp stays, so that other logins of the user go on. */
  async renewHash(userId: string, from: string, to: string): Promise<void> {
    await this.db
      .update(users)
      .set({ passwordHash: to })
      .where(and(eq(users.id, userId), eq(users.passwordHash, from)));
  }

  /** For `POST password`. */
  async changePassword(
    userId: string,
    { passwordHash, seenStamp }: NewPassword,
    change: AccountChange,
  ): Promise<boolean> {
    const changed = await (change.transaction as Transaction)
      .update(users)
      .set({ passwordHash, securityStamp: randomUUID() })
      .where(and(eq(users.id, userId), eq(users.securityStamp, seenStamp)))
      .returning({ id: users.id });
    return changed.length === 1;
  }

  /** For `kit-auth-registration` and `kit-auth user create`. */
  async createUser(
    { username, nickname, passwordHash = '', roles }: NewUser,
    change: AccountChange,
  ): Promise<string> {
    const transaction = change.transaction as Transaction;
    const [user] = await transaction
      .insert(users)
      .values({ email: username, fullName: nickname, passwordHash })
      .onConflictDoNothing()
      .returning({ id: users.id });
    if (user === undefined) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    const granted = roles.filter(isRole).map((code) => ({ userId: user.id, role: code }));
    if (granted.length > 0) {
      await transaction.insert(userRoles).values(granted);
    }
    return user.id;
  }

  /** For `kit-auth-email`: a new address is also the new username. */
  async changeUsername(
    userId: string,
    { username, seenStamp }: NewUsername,
    change: AccountChange,
  ): Promise<boolean> {
    const transaction = change.transaction as Transaction;
    const [other] = await transaction
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, username), ne(users.id, userId)));
    if (other !== undefined) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    const changed = await transaction
      .update(users)
      .set({ email: username, securityStamp: randomUUID() })
      .where(and(eq(users.id, userId), eq(users.securityStamp, seenStamp)))
      .returning({ id: users.id });
    return changed.length === 1;
  }

  /** For `kit-auth user list`. */
  async listUsers({ after, limit }: UserPage): Promise<ListedUser[]> {
    const page = await this.db.query.users.findMany({
      where: after === undefined ? undefined : gt(users.id, after),
      with: { roles: true },
      orderBy: asc(users.id),
      limit,
    });
    return page.map(({ id, email, fullName, active, roles, lastLoginAt }) => ({
      id,
      username: email,
      nickname: fullName,
      enabled: active,
      lastLoginAt,
      roles: roles.map(({ role }) => role),
    }));
  }

  /** For `kit-auth user disable`. */
  async disableUser(userId: string, change: AccountChange): Promise<boolean> {
    const disabled = await (change.transaction as Transaction)
      .update(users)
      .set({ active: false, securityStamp: randomUUID() })
      .where(and(eq(users.id, userId), eq(users.active, true)))
      .returning({ id: users.id });
    return disabled.length === 1;
  }

  /** For `kit-auth user disable --enable`. */
  async enableUser(userId: string, change: AccountChange): Promise<boolean> {
    const enabled = await (change.transaction as Transaction)
      .update(users)
      .set({ active: true, securityStamp: randomUUID() })
      .where(and(eq(users.id, userId), eq(users.active, false)))
      .returning({ id: users.id });
    return enabled.length === 1;
  }

  /** For roles that users get at registration, by invitation or by `kit-auth user create`. */
  async grantsOf(codes: readonly string[]): Promise<Grants | undefined> {
    if (!codes.every(isRole)) {
      return undefined;
    }
    return { superAdmin: codes.includes('admin'), permissions: codes.flatMap((code) => PERMISSIONS[code]) };
  }

  /** Stores a change and its events together. */
  async transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const kept: AuthEvent[] = [];
    const result = await this.db.transaction((transaction) =>
      action.run(() =>
        work({ transaction, note: async (event) => void kept.push(await action.keep(event, transaction)) }),
      ),
    );
    kept.forEach((event) => this.events.emit(event)); // calls the listeners and sends notices
    return result;
  }

  /** For the administrator at start-up. Several instances may run this at the same time. */
  async ensureAdministrator(seed: AdministratorSeed): Promise<SeededAdministrator> {
    const present = await this.findAdministrator();
    if (present !== undefined) {
      return { outcome: 'present', ...present };
    }
    const passwordHash = await seed.hash();
    const isCreated = await this.db.transaction(async (transaction) => {
      const [user] = await transaction
        .insert(users)
        .values({ email: seed.username, fullName: 'Administrator', passwordHash })
        .onConflictDoNothing()
        .returning({ id: users.id });
      if (user !== undefined) {
        await transaction.insert(userRoles).values({ userId: user.id, role: 'admin' });
      }
      return user !== undefined;
    });
    if (isCreated) {
      return { outcome: 'created', passwordHash };
    }
    const other = await this.findAdministrator();
    return other === undefined ? { outcome: 'refused' } : { outcome: 'present', ...other };
  }

  private async findAdministrator(): Promise<{ passwordHash: string } | undefined> {
    const [user] = await this.db
      .select({ passwordHash: users.passwordHash })
      .from(users)
      .innerJoin(userRoles, eq(userRoles.userId, users.id))
      .where(eq(userRoles.role, 'admin'))
      .limit(1);
    return user;
  }
}
