import { randomUUID } from 'node:crypto';
import { EntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
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
import { Member, MemberStatus, ROLES } from './member.entity';

declare module 'kit-auth' {
  interface KitAuthTypes {
    userId: string;
  }
}

@Injectable()
export class MikroOrmUserStore implements AuthUserStore {
  readonly idType = 'string';

  constructor(
    private readonly em: EntityManager,
    private readonly events: AuthEvents,
  ) {}

  /** Required for a login. */
  async findByUsername(username: string): Promise<StoredUser | undefined> {
    if (username.includes('\0')) {
      return undefined; // PostgreSQL rejects it
    }
    const member = await this.fork().findOne(Member, { login: username });
    if (member === null) {
      return undefined;
    }
    const { id, passwordHash, securityStamp, status } = member;
    return { id, username, passwordHash, enabled: status === MemberStatus.Active, securityStamp };
  }

  /** Required: the current user of requests. */
  async loadLoginUser(userId: string): Promise<LoginUser | undefined> {
    const member = await this.fork().findOne(Member, { id: userId, status: MemberStatus.Active });
    if (member === null) {
      return undefined;
    }
    return {
      userId: member.id,
      username: member.login,
      nickname: member.displayName,
      superAdmin: member.roles.includes('admin'),
      roles: member.roles,
      permissions: [],
    };
  }

  /** For the links of `kit-auth-email` and `kit-auth-registration`, which end when the member changes. */
  async stampOf(userId: string): Promise<string | undefined> {
    const member = await this.fork().findOne(Member, { id: userId, status: MemberStatus.Active });
    return member?.securityStamp;
  }

  /** Refuses a login if the member has changed since the password check. */
  async noteLogin(userId: string, seenStamp: string): Promise<boolean> {
    const update = { lastLoginAt: new Date() };
    return (await this.fork().nativeUpdate(Member, { id: userId, securityStamp: seenStamp }, update)) === 1;
  }

  /** Replaces a hash that is outdated. The stamp stays, so that other sessions of the member go on. */
  async renewHash(userId: string, from: string, to: string): Promise<void> {
    await this.fork().nativeUpdate(Member, { id: userId, passwordHash: from }, { passwordHash: to });
  }

  /** For `POST password`. */
  async changePassword(
    userId: string,
    { passwordHash, seenStamp }: NewPassword,
    change: AccountChange,
  ): Promise<boolean> {
    const em = change.transaction as EntityManager;
    const update = { passwordHash, securityStamp: randomUUID() };
    return (await em.nativeUpdate(Member, { id: userId, securityStamp: seenStamp }, update)) === 1;
  }

  /** For `kit-auth-registration` and `kit-auth user create`. */
  async createUser(
    { username, nickname, passwordHash = '', roles }: NewUser,
    change: AccountChange,
  ): Promise<string> {
    const em = change.transaction as EntityManager;
    const fields = { login: username, displayName: nickname, passwordHash, roles: [...roles] };
    const member = em.create(Member, fields);
    await em.flush().catch(refuseTakenName);
    return member.id;
  }

  /** For `kit-auth-email`, if the login is the address: a new address is also the new login. */
  async changeUsername(
    userId: string,
    { username, seenStamp }: NewUsername,
    change: AccountChange,
  ): Promise<boolean> {
    const em = change.transaction as EntityManager;
    const update = { login: username, securityStamp: randomUUID() };
    const changed = em.nativeUpdate(Member, { id: userId, securityStamp: seenStamp }, update);
    return (await changed.catch(refuseTakenName)) === 1;
  }

  /** For `kit-auth user list`. */
  async listUsers({ after, limit }: UserPage): Promise<ListedUser[]> {
    const where = after === undefined ? {} : { id: { $gt: after } };
    const page = await this.fork().find(Member, where, { orderBy: { id: 'asc' }, limit });
    return page.map(({ id, login, displayName, status, roles, lastLoginAt }) => ({
      id,
      username: login,
      nickname: displayName,
      roles,
      enabled: status === MemberStatus.Active,
      lastLoginAt: lastLoginAt ?? null,
    }));
  }

  /** For `kit-auth user disable`. */
  async disableUser(userId: string, change: AccountChange): Promise<boolean> {
    const em = change.transaction as EntityManager;
    const update = { status: MemberStatus.Suspended, securityStamp: randomUUID() };
    return (await em.nativeUpdate(Member, { id: userId, status: MemberStatus.Active }, update)) === 1;
  }

  /** For `kit-auth user disable --enable`. */
  async enableUser(userId: string, change: AccountChange): Promise<boolean> {
    const em = change.transaction as EntityManager;
    const update = { status: MemberStatus.Active, securityStamp: randomUUID() };
    return (await em.nativeUpdate(Member, { id: userId, status: MemberStatus.Suspended }, update)) === 1;
  }

  /** For roles that members get at registration, by invitation or by `kit-auth user create`. */
  async grantsOf(codes: readonly string[]): Promise<Grants | undefined> {
    if (!codes.every((code) => ROLES.includes(code))) {
      return undefined;
    }
    return { superAdmin: codes.includes('admin'), permissions: [] };
  }

  /** Stores a change and its events together. */
  async transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const kept: AuthEvent[] = [];
    const result = await this.fork().transactional((em) =>
      action.run(() =>
        work({ transaction: em, note: async (event) => void kept.push(await action.keep(event, em)) }),
      ),
    );
    kept.forEach((event) => this.events.emit(event)); // calls the listeners and sends notices
    return result;
  }

  /** For the administrator at start-up. Several instances may run this at the same time. */
  async ensureAdministrator(seed: AdministratorSeed): Promise<SeededAdministrator> {
    const findAdministrator = () => this.fork().findOne(Member, { roles: { $contains: ['admin'] } });
    const present = await findAdministrator();
    if (present !== null) {
      return { outcome: 'present', passwordHash: present.passwordHash };
    }
    const passwordHash = await seed.hash();
    const member = { login: seed.username, displayName: 'Administrator', passwordHash, roles: ['admin'] };
    try {
      const em = this.fork();
      em.create(Member, member);
      await em.flush();
      return { outcome: 'created', passwordHash };
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) {
        throw error;
      }
      const other = await findAdministrator();
      return other === null
        ? { outcome: 'refused' }
        : { outcome: 'present', passwordHash: other.passwordHash };
    }
  }

  /** kit-auth calls these methods outside of MikroORM's request context, for example at start-up. */
  private fork(): EntityManager {
    return this.em.fork();
  }
}

function refuseTakenName(error: unknown): never {
  throw error instanceof UniqueConstraintViolationException
    ? new AuthException(AuthErrorCode.CONFLICT)
    : error;
}
