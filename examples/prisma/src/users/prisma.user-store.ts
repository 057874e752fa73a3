import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
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
import { isTaken, PrismaService } from '../database/prisma.service.js';
import type { Prisma } from '../generated/client.js';
import { Role } from '../generated/enums.js';

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

const isRole = (code: string): code is Role => Object.hasOwn(Role, code);

const usersOf = ({ transaction }: AccountChange) => (transaction as Prisma.TransactionClient).user;

@Injectable()
export class PrismaUserStore implements AuthUserStore {
  readonly idType = 'string';

  constructor(
    private readonly prisma: PrismaService,
    private readonly events: AuthEvents,
  ) {}

  /** Required for a login. */
  async findByUsername(username: string): Promise<StoredUser | undefined> {
    if (username.includes('\0')) {
      return undefined; // PostgreSQL rejects it
    }
    const user = await this.prisma.user.findUnique({ where: { email: username } });
    return user === null ? undefined : { ...user, username: user.email, enabled: user.active };
  }

  /** Required: the current user of requests. */
  async loadLoginUser(userId: string): Promise<LoginUser | undefined> {
    const user = await this.prisma.user.findUnique({ where: { id: userId, active: true } });
    if (user === null) {
      return undefined;
    }
    return {
      userId: user.id,
      username: user.email,
      nickname: user.fullName,
      superAdmin: user.roles.includes('admin'),
      roles: user.roles,
      permissions: user.roles.flatMap((role) => PERMISSIONS[role]),
    };
  }

  /** For `jwt.checkStamp`: tokens end when the password, the status or the roles change. */
  async stampOf(userId: string): Promise<string | undefined> {
    const user = await this.prisma.user.findUnique({
      where: { id: userId, active: true },
      select: { securityStamp: true },
    });
    return user?.securityStamp;
  }

  async noteLogin(userId: string, seenStamp: string): Promise<boolean> {
    const { count } = await this.prisma.user.updateMany({
      where: { id: userId, securityStamp: seenStamp },
      data: { lastLoginAt: new Date() },
    });
    return count === 1;
  }

  /** Replaces a hash whose cost is too low. The stamp stays, so that other logins of the user go on. */
  async renewHash(userId: string, from: string, to: string): Promise<void> {
    await this.prisma.user.updateMany({
      where: { id: userId, passwordHash: from },
      data: { passwordHash: to },
    });
  }

  /** For `POST password`. */
  async changePassword(
    userId: string,
    { passwordHash, seenStamp }: NewPassword,
    change: AccountChange,
  ): Promise<boolean> {
    const { count } = await usersOf(change).updateMany({
      where: { id: userId, securityStamp: seenStamp },
      data: { passwordHash, securityStamp: randomUUID() },
    });
    return count === 1;
  }

  /** For `kit-auth-registration` and `kit-auth user create`. */
  async createUser(
    { username, nickname, passwordHash = '', roles }: NewUser,
    change: AccountChange,
  ): Promise<string> {
    const user = { email: username, fullName: nickname, passwordHash, roles: roles.filter(isRole) };
    const { id } = await usersOf(change).create({ data: user }).catch(refuse);
    return id;
  }

  /** For `kit-auth-email`: a new address is also the new username. */
  async changeUsername(
    userId: string,
    { username, seenStamp }: NewUsername,
    change: AccountChange,
  ): Promise<boolean> {
    const { count } = await usersOf(change)
      .updateMany({
        where: { id: userId, securityStamp: seenStamp },
        data: { email: username, securityStamp: randomUUID() },
      })
      .catch(refuse);
    return count === 1;
  }

  /** For `kit-auth user list`. */
  async listUsers({ after, limit }: UserPage): Promise<ListedUser[]> {
    const page = await this.prisma.user.findMany({
      where: { id: { gt: after } },
      orderBy: { id: 'asc' },
      take: limit,
    });
    return page.map(({ id, email, fullName, active, roles, lastLoginAt }) => ({
      id,
      username: email,
      nickname: fullName,
      enabled: active,
      lastLoginAt,
      roles,
    }));
  }

  /** For `kit-auth user disable`. */
  disableUser(userId: string, change: AccountChange): Promise<boolean> {
    return this.setActive(userId, false, change);
  }

  /** For `kit-auth user disable --enable`. */
  enableUser(userId: string, change: AccountChange): Promise<boolean> {
    return this.setActive(userId, true, change);
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
    const result = await this.prisma.$transaction((transaction) =>
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
    if (present !== null) {
      return { outcome: 'present', ...present };
    }
    const passwordHash = await seed.hash();
    const { count } = await this.prisma.user.createMany({
      data: [{ email: seed.username, fullName: 'Administrator', passwordHash, roles: ['admin'] }],
      skipDuplicates: true,
    });
    if (count === 1) {
      return { outcome: 'created', passwordHash };
    }
    const other = await this.findAdministrator();
    return other === null ? { outcome: 'refused' } : { outcome: 'present', ...other };
  }

  private async setActive(userId: string, active: boolean, change: AccountChange): Promise<boolean> {
    const { count } = await usersOf(change).updateMany({
      where: { id: userId, active: !active },
      data: { active, securityStamp: randomUUID() },
    });
    return count === 1;
  }

  private findAdministrator(): Promise<{ passwordHash: string } | null> {
    return this.prisma.user.findFirst({
      where: { roles: { has: 'admin' } },
      select: { passwordHash: true },
    });
  }
}

function refuse(error: unknown): never {
  throw isTaken(error) ? new AuthException(AuthErrorCode.CONFLICT) : error;
}
