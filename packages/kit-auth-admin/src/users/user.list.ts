import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LoginThrottle } from 'kit-auth/extend';
import { AuthUser, noneIfUnusable } from 'kit-auth/typeorm';
import { In, Repository, type SelectQueryBuilder } from 'typeorm';
import { foldCase } from '../input/fold-case.js';
import { type Page, type Query, readPage, readText } from '../input/page.js';
import { type UserView, viewOf } from './user.view.js';

const READ_AT_ONCE = 5000;

/** Users, searched and filtered, in pages. */
@Injectable()
export class UserList {
  constructor(
    @InjectRepository(AuthUser) private readonly users: Repository<AuthUser>,
    private readonly throttle: LoginThrottle,
  ) {}

  /**
   * @param query `q` (a part of the username or nickname, as `foldCase()` compares), `status`, `role` (a code), `page`, `size`
   * @throws AuthException 40000
   */
  async read(query: Query): Promise<Page<UserView>> {
    const { page, size, skip } = readPage(query);
    const [q, status, role] = ['q', 'status', 'role'].map((name) => readText(query, name));
    const found = this.users.createQueryBuilder('user').where('1 = 1');
    if (status !== undefined) {
      found.andWhere('user.status = :status', { status });
    }
    if (role !== undefined) {
      found.innerJoin('user.roles', 'role', 'role.code = :role', { role });
    }
    const reading = q === undefined ? cut(found, skip, size) : search(found, q, skip, size);
    const { ids, total } = await reading.catch(noneIfUnusable<Found>({ ids: [], total: 0 }));
    const items = await this.users.find({
      where: { id: In(ids) },
      relations: { roles: true },
      order: { id: 'ASC' },
    });
    return { items: await Promise.all(items.map((user) => this.view(user))), page, size, total };
  }

  private async view(user: AuthUser): Promise<UserView> {
    return viewOf(user, await this.throttle.lockedUntil(user.username));
  }
}

/** A page of users, in the order of their ids, so that it stays what it was. */
interface Found {
  ids: number[];
  total: number;
}

async function cut(users: SelectQueryBuilder<AuthUser>, skip: number, size: number): Promise<Found> {
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
 * Compares here and not in the database: what a database folds depends on its product, its collation and its locale.
 * It reads the names in batches, so that neither memory nor other requests suffer from a long list.
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
    .limit(READ_AT_ONCE);
  const ids: number[] = [];
  let rows: { id: number; username: string; nickname: string }[];
  let after = 0;
  let total = 0;
  do {
    // A driver that is synchronous, as those of SQLite are, never yields by itself.
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
  } while (rows.length === READ_AT_ONCE);
  return { ids, total };
}
