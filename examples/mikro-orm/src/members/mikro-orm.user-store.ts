import { randomUUID } from 'node:crypto';
import { EntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  type AccountChange,
  type AdministratorSeed,
  type AuthAction,
  type AuthEvent,
  AuthEvents,
  type AuthUserStore,
  type LoginUser,
  type NewPassword,
  type SeededAdministrator,
  type StoredUser,
} from 'kit-auth';
import { Member, MemberStatus } from './member.entity';

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

  /** Stores a change and its events together. */
  async transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const kept: AuthEvent[] = [];
    const result = await this.fork().transactional((em) =>
      action.run(() =>
        work({ transaction: em, note: async (event) => void kept.push(await action.keep(event, em)) }),
      ),
    );
    kept.forEach((event) => this.events.emit(event));
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
