import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository, type SelectQueryBuilder } from 'typeorm';
import type { AdministratorSeed, SeededAdministrator } from '../../contract/user-store.js';
import { describeError } from '../../errors/describe.js';
import { IllegalStateException } from '../../errors/auth.exception.js';
import { nameKey } from '../../users/name-key.js';
import { SUPER_ADMIN } from '../../users/stored-users.js';
import { AuthRole } from './auth-role.entity.js';
import { AuthUser, AuthUserStatus, newSecurityStamp } from './auth-user.entity.js';
import { serializedWrite } from '../database/connections.js';
import { dataSourceOf, readFromPrimary } from '../database/data-source.js';
import { insertUnlessPresent } from '../database/insert-unless-present.js';
import { junctionTable } from '../database/junction-table.js';
import { hasUser } from './taken-usernames.js';
import { userTablesIn } from './kit-auth.migrations.js';
import { assertTables, useTables } from '../database/own-tables.js';
import { isUnstorable } from '../database/stored-strings.js';
import { writeRealm } from './typeorm.user-database.js';

const MAX_ATTEMPTS = 3;

/** Creates the default administrator, unless a user has the role `SUPER_ADMIN` already. */
@Injectable()
export class DefaultAdministrator {
  constructor(@InjectRepository(AuthUser) private readonly users: Repository<AuthUser>) {
    const dataSource = dataSourceOf(users.manager);
    useTables(dataSource, userTablesIn(dataSource));
  }

  /**
   * Several instances may call it at once. After a lost race or a deadlock it starts again.
   *
   * @throws IllegalStateException when the tables cannot be read or written
   */
  async ensure(seed: AdministratorSeed): Promise<SeededAdministrator> {
    const dataSource = dataSourceOf(this.users.manager);
    await assertTables(dataSource, userTablesIn(dataSource));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.findOrCreate(seed);
      } catch (cause) {
        if (isUnstorable(cause)) {
          throw new IllegalStateException(
            `The database cannot store kit.auth.defaultAdminUsername (${describeError(cause)}). Choose another ` +
              'name, or use a character set that contains all of Unicode.',
            { cause },
          );
        }
        if (attempt === MAX_ATTEMPTS) {
          throw new IllegalStateException(
            `The default administrator could not be looked up or created (${describeError(cause)}).`,
            { cause },
          );
        }
      }
    }
  }

  private async findOrCreate(seed: AdministratorSeed): Promise<SeededAdministrator> {
    const { username } = seed;
    const administrator = await this.findAdministrator(username);
    if (administrator !== null) {
      return { outcome: 'present', passwordHash: administrator.passwordHash ?? undefined };
    }
    const unbound = await this.read((users) =>
      users.where('user.username = :username', { username }).getOne(),
    );
    const dataSource = dataSourceOf(this.users.manager);
    const isRefused =
      unbound === null
        ? await readFromPrimary(dataSource, (manager) => hasUser(manager, username))
        : unbound.passwordHash === null || !(await seed.verify(unbound.passwordHash));
    if (isRefused) {
      return { outcome: 'refused' };
    }
    const passwordHash = unbound?.passwordHash ?? (await seed.hash());
    const isBound = await serializedWrite(dataSource, () =>
      dataSource.transaction((manager) => this.bind(manager, username, passwordHash)),
    );
    if (!isBound) {
      throw new Error('another instance created the administrator');
    }
    return { outcome: unbound === null ? 'created' : 'bound', passwordHash };
  }

  private findAdministrator(username: string): Promise<AuthUser | null> {
    return this.read((users) =>
      users
        .innerJoin('user.roles', 'role', 'role.code = :code', { code: SUPER_ADMIN })
        // The user with the configured name, otherwise the first.
        .orderBy('CASE WHEN user.username = :username THEN 0 ELSE 1 END')
        .addOrderBy('user.id')
        .setParameter('username', username)
        .limit(1)
        .getOne(),
    );
  }

  /** Reads users with their hashes. */
  private read<T>(work: (users: SelectQueryBuilder<AuthUser>) => Promise<T>): Promise<T> {
    return readFromPrimary(dataSourceOf(this.users.manager), (manager) =>
      work(manager.createQueryBuilder(AuthUser, 'user').addSelect('user.passwordHash')),
    );
  }

  /**
   * Writes before it reads. The first write takes the lock (SQLite) or waits for the transaction of another instance
   * (unique index), so that the reads after it see the result of that.
   *
   * @returns false when the account with that name has another hash
   */
  private async bind(manager: EntityManager, username: string, passwordHash: string): Promise<boolean> {
    await writeRealm(manager);
    await insertUnlessPresent(manager, AuthRole, {
      code: SUPER_ADMIN,
      name: 'Super administrator',
      permissions: [],
    });
    await insertUnlessPresent(manager, AuthUser, {
      username,
      usernameKey: nameKey(username),
      nickname: username,
      passwordHash,
      status: AuthUserStatus.ENABLED,
      securityStamp: newSecurityStamp(),
    });
    const user = await manager.findOneBy(AuthUser, { username, passwordHash });
    if (user === null) {
      return false;
    }
    const role = await manager.findOneByOrFail(AuthRole, { code: SUPER_ADMIN });
    const bindings = junctionTable(dataSourceOf(manager), AuthUser, 'roles');
    await insertUnlessPresent(manager, bindings.target, bindings.row(user.id, role.id));
    return true;
  }
}
