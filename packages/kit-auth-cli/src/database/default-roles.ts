import type { INestApplication } from '@nestjs/common';
import type { AuthAction, StoredUser, UserId } from 'kit-auth';
import { AdminAuthority, rolesDetail } from 'kit-auth/feature';
import {
  isRoleCode,
  LoginUserLoader,
  type RunRoleChange,
  TypeOrmRoles,
  TypeOrmUserStore,
} from 'kit-auth/typeorm';
import { EntityManager } from 'typeorm';
import { CliError } from '../cli.error.js';

/** A shell on the server can do everything anyway. */
const UNLIMITED = new AdminAuthority({ superAdmin: true, permissions: [] });

/** The roles of the default user store and of its users. */
export class DefaultRoles {
  private constructor(
    private readonly roles: TypeOrmRoles,
    private readonly users: TypeOrmUserStore,
  ) {}

  /** @returns undefined if the application keeps its users elsewhere */
  static of(app: INestApplication, store: object): DefaultRoles | undefined {
    if (!(store instanceof TypeOrmUserStore)) {
      return undefined;
    }
    const manager = app.get(EntityManager, { strict: false });
    return new DefaultRoles(new TypeOrmRoles(store, app.get(LoginUserLoader), manager), store);
  }

  /** @throws CliError that says what is allowed */
  requireCode(code: string): void {
    if (!isRoleCode(code)) {
      throw new CliError(
        `The code of a role must have 1 to 64 letters, digits, ".", "_" or "-", not "${code}".`,
      );
    }
  }

  list(): ReturnType<TypeOrmRoles['list']> {
    return this.roles.list();
  }

  /** @throws AuthException like `TypeOrmRoles.create()` */
  create(
    action: AuthAction,
    role: Parameters<TypeOrmRoles['create']>[0],
  ): ReturnType<TypeOrmRoles['create']> {
    const run: RunRoleChange = (work) =>
      this.users.administer(action, (change) => work({ ...change, authority: UNLIMITED }));
    return this.roles.create(role, run);
  }

  ofUser(id: UserId): Promise<string[]> {
    return this.roles.ofUser(id);
  }

  /**
   * Changes the roles of a user, and notes the event if they differ.
   *
   * @param next computes the new roles from the current ones
   * @returns the roles before and after
   * @throws AuthException 40900 for the last administrator
   */
  changeUser(
    action: AuthAction,
    { id, username }: Pick<StoredUser, 'id' | 'username'>,
    next: (current: readonly string[]) => readonly string[],
  ): Promise<{ before: readonly string[]; after: readonly string[] }> {
    return this.users.administer(action, async (change) => {
      const before = await this.roles.ofUser(id, change.transaction);
      const isChanged = await this.users.changeRoles(id, next(before), change);
      const after = await this.roles.ofUser(id, change.transaction);
      if (isChanged) {
        const about = { subjectId: id, subject: username };
        await change.note({ type: 'user-roles-changed', ...about, detail: rolesDetail(after) });
      }
      return { before, after };
    });
  }
}
