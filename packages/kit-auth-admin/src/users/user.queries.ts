import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LoginThrottle } from 'kit-auth/login';
import type { Call } from 'kit-auth/feature';
import { AuthUser, ifUnstorable, readFromReplica, SUPER_ADMIN } from 'kit-auth/typeorm';
import { In, type SelectQueryBuilder } from 'typeorm';
import { DefaultUserStore } from '../administration/default-user-store.js';
import { type Page, rangeOf } from '../input/query.js';
import { foldCase } from './fold-case.js';
import { userOf } from './managed-user.js';
import type { usersApi, UserView } from './users.api.js';

const READ_BATCH = 5000;

type Query = Call<typeof usersApi, 'GET users'>['query'];

/** Reads users: one, or those that match a query, in pages. */
@Injectable()
export class UserQueries {
  constructor(
    private readonly store: DefaultUserStore,
    private readonly throttle: LoginThrottle,
  ) {}

  /** @throws AuthException 40400 */
  async get(id: number): Promise<UserView> {
    return this.view(await this.store.read((manager) => userOf(manager, id)));
  }

  /**
   * @param query `q` is a part of a username or nickname, compared with `foldCase()`, and `role` a code
   */
  async find({ q, status, role, ...query }: Query): Promise<Page<UserView>> {
    const { page, size, skip } = rangeOf(query);
    const { users, total } = await readFromReplica(this.store.dataSource, async (manager) => {
      const found = manager.createQueryBuilder(AuthUser, 'user').where('1 = 1');
      if (status !== undefined) {
        found.andWhere('user.status = :status', { status });
      }
      if (role !== undefined) {
        found.innerJoin('user.roles', 'role', 'role.code = :role', { role });
      }
      const reading = q === undefined ? pageOf(found, skip, size) : search(found, q, skip, size);
      const { ids, total } = await reading.catch(ifUnstorable<Found>({ ids: [], total: 0 }));
      const relations = { roles: true };
      return {
        users: await manager.find(AuthUser, { where: { id: In(ids) }, relations, order: { id: 'ASC' } }),
        total,
      };
    });
    return { items: await Promise.all(users.map((user) => this.view(user))), page, size, total };
  }

  private async view(user: AuthUser): Promise<UserView> {
    return viewOf(user, await this.throttle.lockedUntil(user.username));
  }
}

function viewOf(user: AuthUser, lockedUntil: Date | null): UserView {
  const roles = user.roles.map(({ code }) => code).sort();
  return {
    userId: user.id,
    username: user.username,
    nickname: user.nickname,
    status: user.status,
    superAdmin: roles.includes(SUPER_ADMIN),
    roles,
    mustChangePassword: user.mustChangePassword,
    lockedUntil,
    lastLoginAt: user.lastLoginAt,
    createdAt: user.createdAt,
    updatedAt: user.updatedAt,
  };
}

/** A page of users, ordered by id, so that new users do not shift the pages. */
interface Found {
  ids: number[];
  total: number;
}

async function pageOf(users: SelectQueryBuilder<AuthUser>, skip: number, size: number): Promise<Found> {
  const total = await users.getCount();
  const rows = await users
    .select('user.id', 'id')
    .orderBy('user.id')
    .offset(skip)
    .limit(size)
    .getRawMany<{ id: number }>();
  return { ids: rows.map(({ id }) => id), total };
}

/**
 * Compares names in this process, because how a database folds case depends on its product, collation and locale. Reads
 * the names in batches, which bounds the memory and lets other requests run in between.
 */
async function search(
  users: SelectQueryBuilder<AuthUser>,
  text: string,
  skip: number,
  size: number,
): Promise<Found> {
  const wanted = foldCase(text);
  const batch = users
    .select('user.id', 'id')
    .addSelect('user.username', 'username')
    .addSelect('user.nickname', 'nickname')
    .andWhere('user.id > :after')
    .orderBy('user.id')
    .limit(READ_BATCH);
  const ids: number[] = [];
  let rows: { id: number; username: string; nickname: string }[];
  let after = 0;
  let total = 0;
  do {
    // Synchronous drivers, like the one of SQLite, never yield.
    await setImmediate();
    rows = await batch.setParameter('after', after).getRawMany();
    for (const { id, username, nickname } of rows) {
      if (foldCase(username).includes(wanted) || foldCase(nickname).includes(wanted)) {
        if (total >= skip && ids.length < size) {
          ids.push(id);
        }
        total++;
      }
    }
    after = rows.at(-1)?.id ?? after;
  } while (rows.length === READ_BATCH);
  return { ids, total };
}
