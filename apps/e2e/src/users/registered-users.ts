import { Injectable, Module } from '@nestjs/common';
import {
  type AccountChange,
  type AuthAction,
  AUTH_USER_STORE,
  AuthErrorCode,
  type AuthEvent,
  AuthEvents,
  AuthException,
  type Grants,
  KitAuthModule,
  type NewUser,
  type NotedEvent,
  type UserId,
} from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { OwnUsers } from './own-users.js';
import type { RegistrationAppOptions } from '../registration/app.js';

const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  member: ['note:read'],
  root: ['*'],
  manager: ['auth:user:write'],
};

/** Users who can register. Their changes have no transactions. */
@Injectable()
export class RegisteredUsers extends OwnUsers {
  async createUser({ username, passwordHash, roles }: NewUser): Promise<UserId> {
    if ((await this.findByUsername(username)) !== undefined) {
      throw new AuthException(AuthErrorCode.CONFLICT);
    }
    const permissions = JSON.stringify(roles.flatMap((role) => PERMISSIONS[role] ?? []));
    return this.insert({
      name: username,
      hash: passwordHash ?? '',
      roles: JSON.stringify(roles),
      permissions,
    });
  }

  async grantsOf(roles: readonly string[]): Promise<Grants | undefined> {
    return roles.every((role) => role in PERMISSIONS)
      ? { superAdmin: roles.includes('root'), permissions: roles.flatMap((role) => PERMISSIONS[role] ?? []) }
      : undefined;
  }
}

/** With transactions of its own, which no table of TypeORM can join. */
@Injectable()
export class TransactionalUsers extends RegisteredUsers {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly events: AuthEvents) {
    super();
  }

  transaction<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const done = this.last.then(() => this.begin(action, work));
    this.last = done.catch(() => undefined);
    return done;
  }

  private async begin<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T> {
    const kept: AuthEvent[] = [];
    const note = async (event: NotedEvent) => void kept.push(await action.keep(event, this.db));
    this.db.exec('begin');
    try {
      const result = await action.run(() => work({ transaction: this.db, note }));
      this.db.exec('commit');
      kept.forEach((event) => this.events.emit(event));
      return result;
    } catch (error) {
      this.db.exec('rollback');
      throw error;
    }
  }
}

/** A module with such a store. */
export function moduleWith(store: typeof RegisteredUsers | typeof TransactionalUsers) {
  class StoreModule {}
  Module({
    providers: [
      { provide: OwnUsers, useClass: store as never },
      { provide: AUTH_USER_STORE, useExisting: OwnUsers },
    ],
  })(StoreModule);
  return StoreModule;
}

/** Options of an application with such users. */
export const withStore = (users: object): RegistrationAppOptions => ({
  core: KitAuthModule.forRoot({ users: users as never, password: { cost: 10 } }),
  provider: KitAuthJwtModule,
});
